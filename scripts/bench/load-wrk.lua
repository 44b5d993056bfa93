-- Sends the requests of a file in turn; ends with one line of JSON.

local prepared = {}
local sent = 0

function init(args)
  for line in io.lines(args[1]) do
    local method, path, token, body = line:match("^(.-)\t(.-)\t(.-)\t(.*)$")
    local headers = { ["Content-Type"] = body ~= "" and "application/json" or nil }
    if token ~= "" then headers["Authorization"] = "Bearer " .. token end
    prepared[#prepared + 1] = wrk.format(method, path, headers, body ~= "" and body or nil)
  end
end

function request()
  sent = sent % #prepared + 1
  return prepared[sent]
end

function done(summary, latency)
  local errors = summary.errors
  local failures = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format(
    '{"requests":%d,"failures":%d,"perSecond":%.3f,"p50":%.3f,"p99":%.3f,"p999":%.3f}\n',
    summary.requests, failures, summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency:percentile(99.9) / 1e3))
end
