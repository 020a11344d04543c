-- wrk -s requests.lua URL -- FILE [Name:value ...]: asks what the file says, a request a line: method, path, body, with tabs between.
local requests, at = {}, 0

function init(args)
  local headers = {}
  for i = 2, #args do
    local name, value = args[i]:match('^([^:]+):%s*(.*)$')
    headers[name] = value
  end
  for line in io.lines(args[1]) do
    local method, path, body = line:match('^(%S+)\t([^\t]+)\t?(.*)$')
    requests[#requests + 1] = wrk.format(method, path, headers, body ~= '' and body or nil)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\n{"requests":%d,"us":%d,"refused":%d,"broken":%d,"p50_us":%d}\n', summary.requests, summary.duration,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout, latency:percentile(50)))
end
