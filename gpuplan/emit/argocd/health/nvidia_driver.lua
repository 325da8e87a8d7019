-- The GPU Operator installs no driver where two NVIDIADrivers select one node; the state then stays what it was before.
local hs = {status = "Progressing", message = "waiting for the GPU Operator"}
if obj.status == nil then
  return hs
end
if obj.status.state == "ready" then
  hs.status = "Healthy"
end
for _, condition in ipairs(obj.status.conditions or {}) do
  if condition.status == "True" and (condition.message or "") ~= "" then
    hs.message = condition.message
  end
  if condition.type == "Error" and condition.status == "True" and condition.reason == "ConflictingNodeSelector" then
    hs.status = "Degraded"
  end
end
return hs
