// A bill of ten lines through MCP, with its proofs, which are verified here.
import { readFileSync } from 'node:fs'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { parsePolicy, verifyBody } from 'agent-trust-registry/verify/lists'

const base = process.argv[2] ?? 'http://127.0.0.1:8787'
const { lines } = JSON.parse(readFileSync(new URL('bill.json', import.meta.url), 'utf8'))
// Without a day, today is meant. A verifier must know which day that was.
const today = new Date().toISOString().slice(0, 10)
const questions = lines.map((line) => ({ as_of: today, ...line }))

const client = new Client({ name: 'bill-example', version: '1.0.0' })
await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', base)))
const answer = await client.callTool({ name: 'price_bill', arguments: { lines: questions, include: 'proof' } })
const { results, summary } = answer.structuredContent
for (const [i, result] of results.entries()) {
  const { cpt, billed } = lines[i]
  const outcome =
    result.status === 200
      ? `${result.extended?.amount} ${result.row.price.currency}`
      : `no price: ${result.problem.code}`
  console.log(`${cpt}  billed ${billed}  reference ${outcome}`)
}
for (const { basis, low, billed } of summary.totals) console.log(`total ${basis}: ${low} of ${billed} billed`)
// Pin the keys of the logs once, from a source that you trust. They are never taken from an answer.
const policy = parsePolicy(await (await fetch(new URL('/log/policy', base))).text())
const verdict = await verifyBody(JSON.stringify(answer.structuredContent), policy, { questions })
if (!verdict.ok) throw new Error(`the answer cannot be believed: ${verdict.reason}`)
console.log(`verified: ${verdict.rows.length} rows under the checkpoint of ${verdict.recorded_at}`)
await client.close()
