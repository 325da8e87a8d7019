-- Kueue keeps one condition "Active" on ClusterQueues and LocalQueues.
-- A queue that a person holds is as it should be, and so is one below it: nothing else may wait for it to go on.
local held = {Stopped = true, ClusterQueueIsInactive = true}
-- What a queue names and does not find may still come, since Kueue reads objects in no fixed order.
local awaited = {
  FlavorNotFound = true,
  TopologyNotFound = true,
  AdmissionCheckNotFound = true,
  AdmissionCheckInactive = true,
  ClusterQueueDoesNotExist = true,
}

local hs = {status = "Progressing", message = "waiting for Kueue"}
if obj.status == nil or obj.status.conditions == nil then
  return hs
end
for _, condition in ipairs(obj.status.conditions) do
  if condition.type == "Active" then
    if (condition.observedGeneration or 0) < (obj.metadata.generation or 0) then
      return hs -- it speaks of the object as it was before the last change
    end
    hs.message = condition.message
    if condition.status == "True" or held[condition.reason] then
      hs.status = "Healthy"
    elseif not awaited[condition.reason] then
      hs.status = "Degraded"
    end
  end
end
return hs
