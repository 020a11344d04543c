// A bill of ten lines, each answer verified. The keys of the service and its newest checkpoint are kept in pins.json.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { RegistryClient } from 'agent-trust-registry/client'

const PINS = 'pins.json'
const pinned = existsSync(PINS) ? JSON.parse(readFileSync(PINS, 'utf8')) : {}
const pins = {
  get: (name) => pinned[name],
  set(name, text) {
    pinned[name] = text
    writeFileSync(PINS, JSON.stringify(pinned))
  },
}

const client = new RegistryClient({ baseUrl: process.argv[2] ?? 'http://127.0.0.1:8787', pins })
const { lines } = JSON.parse(readFileSync(new URL('bill.json', import.meta.url), 'utf8'))
const { body, proved } = await client.bill(lines)
for (const [i, result] of body.results.entries()) {
  const { cpt, billed } = lines[i]
  const outcome =
    result.status === 200
      ? `${result.extended?.amount} ${result.row.price.currency}`
      : `no price: ${result.problem.code}`
  console.log(`${cpt}  billed ${billed}  reference ${outcome}`)
}
for (const { basis, low, billed } of body.summary.totals) console.log(`total ${basis}: ${low} of ${billed} billed`)
console.log(`verified: ${proved.rows.length} rows under the checkpoint of ${proved.recorded_at}`)
