-- Argo CD itself gives Applications no health since 1.8, so that an application of applications seems healthy at once.
local hs = {status = "Progressing", message = "waiting for its first sync"}
if obj.status ~= nil and obj.status.health ~= nil and obj.status.health.status ~= nil then
  hs.status = obj.status.health.status
  hs.message = obj.status.health.message or ""
end
return hs
