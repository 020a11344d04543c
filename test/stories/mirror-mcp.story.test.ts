import { expect, test } from 'bun:test'
import { aHospital, aPrice, aRelease } from '../support/builders.ts'
import { connect, ERAS } from '../support/mcp.ts'
import { MirrorWorld } from '../support/mirror-world.ts'

test('the MCP tools and documents that a mirror lists are those that it answers, in both eras', async () => {
  await using world = await MirrorWorld.start()
  await world.app.publish(aRelease({ rows: [aPrice({ code: 'G0101' })] }))
  await world.app.publish(aRelease({ chart: 'hospitals', rows: [aHospital()] }))
  await world.mirror()
  await using mirror = await world.serve()
  const given: Record<string, object> = {
    price_bill: { lines: [{ cpt: 'G0101' }] },
    check_bill: { kind: 'professional', lines: [{ code: 'G0101' }] },
    compare_hospitals: { cpt: 'G0101', region: 'US-AK' },
    find_hospital: { near: 'US-AK' },
    coverage: {},
    verify_proof: { href: '/rows/cms-pfs:TEST1:1/0' },
    figures: {},
  }
  for (const era of ERAS) {
    const client = await connect(mirror, era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'lookup_price',
      'price_bill',
      'check_bill',
      'code_sheet',
      'compare_hospitals',
      'find_hospital',
      'price_history',
      'coverage',
      'verify_proof',
      'figures',
    ])
    for (const { name, description } of tools) {
      expect(description).not.toMatch(/token|scope|browse_registry/)
      const { isError, content } = await client.callTool({ name, arguments: { ...(given[name] ?? { cpt: 'G0101' }) } })
      expect([name, isError ?? false, content[0]?.text]).toEqual([name, false, expect.any(String)])
    }
    expect(tools.at(-1)?.inputSchema['properties']).toEqual({})
    // What is not on the list says where to ask, and is not called unknown.
    for (const [name, args] of [
      ['browse_registry', {}],
      ['figures', { view: 'changes' }],
    ] as const) {
      const { isError, structuredContent, content } = await client.callTool({ name, arguments: args })
      expect([name, isError, structuredContent]).toMatchObject([
        name,
        true,
        { code: 'not_on_mirror', service: world.url },
      ])
      expect(content[0]?.text).not.toContain('again later')
    }
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri).join(' ')).not.toContain('agent-rails')
    for (const { uri } of resources) expect((await client.readResource({ uri })).contents).toHaveLength(1)
  }
  const card = await (await mirror.ask('/.well-known/mcp/server-card.json')).text()
  expect([JSON.parse(card), card]).toMatchObject([{ name: expect.any(String) }, expect.not.stringContaining('token')])
})
