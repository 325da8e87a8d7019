-- The GPU Operator sums its agents up in one word. Of several ClusterPolicies it obeys one and ignores the rest.
local hs = {status = "Progressing", message = "waiting for the GPU Operator"}
if obj.status == nil then
  return hs
end
if obj.status.state == "ready" then
  hs.status = "Healthy"
elseif obj.status.state == "ignored" then
  return {status = "Degraded", message = "ignored: the cluster has another ClusterPolicy, which the GPU Operator obeys"}
end
for _, condition in ipairs(obj.status.conditions or {}) do
  if condition.status == "True" and (condition.message or "") ~= "" then
    hs.message = condition.message
  end
end
return hs
