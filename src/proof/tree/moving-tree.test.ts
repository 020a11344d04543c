import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { utf8 } from '../bytes.ts'
import { HashTree } from './hash-tree.ts'
import { type Hash, leafHash } from './merkle.ts'
import { MovingTree } from './moving-tree.ts'

const change = fc.record({ from: fc.nat(40), removed: fc.nat(6), added: fc.array(fc.nat(9), { maxLength: 12 }) })

test('after leaves were put in or taken out, the root is that of a tree built anew', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      const tree = new MovingTree()
      const leaves: Hash[] = []
      for (const [step, { from, removed, added }] of changes.entries()) {
        const at = Math.min(from, leaves.length)
        const hashes = added.map((n) => leafHash(utf8(String(n))))
        tree.splice(at, removed, hashes)
        leaves.splice(at, removed, ...hashes)
        // Roots are asked for after some changes only.
        if (step % 3 !== 1) expect(tree.root).toEqual(new HashTree(leaves).root)
        expect(tree.size).toBe(leaves.length)
      }
    }),
    { numRuns: 300 },
  )
})
