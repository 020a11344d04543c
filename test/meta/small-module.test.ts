// What is done to a module to make it small changes nothing that it does.

import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withArrows, withSharedNames } from '../../scripts/small-module.ts'

const folder = mkdtempSync(join(tmpdir(), 'small-'))
afterAll(() => rmSync(folder, { recursive: true }))

let modules = 0
async function resultOf(module: string): Promise<unknown> {
  const path = join(folder, `${modules++}.mjs`)
  writeFileSync(path, module)
  return (await import(path)).default
}

/** Each says the same name often enough for it to be shared. */
const REPEATING = [
  // Members of an object in parentheses, which end before the object's own end.
  'let a={effective:"x"},b;export default[(b=1,a).effective,(b=2,a).effective,(b=3,a).effective,a?.effective,b]',
  // Names that stand for their values, with and without another value.
  'let f=({effective,national="n"})=>[effective,national],effective="e",o={};o.effective=1;export default[f({effective}),f({effective,national:2}),o.effective,o.effective,o.effective,o.effective]',
  // A member of this name sets the prototype.
  'let o=e=>e?{__proto__:{inherited:1}}:{__proto__:{inherited:2}};export default[o(0).inherited,o(1).inherited,o(1).inherited,o(0).__proto__,o(1).__proto__,o(1).__proto__]',
  // Texts beside words, where quotes need no spaces.
  'let f=e=>{switch(e){case"national":return"national"in{national:1};default:return typeof e}};export default[f("national"),f("national"),f(1)]',
  // Undefined, null, and texts that a list with spaces between them cannot hold.
  'let f=(e,t=void 0)=>e===void 0?null:t===null?void 0:"a b c d e";export default[f(),f(1,null),f(1),"a b c d e","a b c d e",null,null,void 0,void 0]',
  'export default["line\\n\\n\\n\\n","line\\n\\n\\n\\n","line\\n\\n\\n\\n",Number.isSafeInteger(1),Number.isSafeInteger(2),Number.isSafeInteger(.5),Number("3")]',
  'class E extends Error{at}let f=t=>{try{throw new E("m")}catch(e){return[e.message,e.at,e instanceof Error,e.message,e.message]}};export default[f(1),f(2).map(e=>e instanceof Error),new Error("message").message]',
]

test.each(REPEATING)('a module whose names are shared does the same: %s', async (module) => {
  const shared = withSharedNames(module)
  expect(shared).toContain('$shared0')
  expect(await resultOf(shared)).toEqual(await resultOf(module))
})

test('functions become arrows where that changes nothing', async () => {
  const module = `function add(a,b=1,...c){return a+b+c.length}async function later({n}){return n*2}function none(){return"none"}
    function counted(){return arguments.length}function Made(){this.made=1}function*each(){yield 1}
    export default[add(1),add(1,2,3),await later({n:2}),none(),counted(1,2),new Made().made,[...each()]]`
  const small = withArrows(module)
  expect(small.match(/\bfunction\b/g)).toHaveLength(3)
  expect(await resultOf(small)).toEqual([2, 4, 4, 'none', 2, 1, [1]])
})
