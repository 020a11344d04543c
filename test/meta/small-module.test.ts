// What is done to a module to make it small changes nothing that it does.

import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withKnownArguments } from '../../scripts/small/arguments.ts'
import { withoutParentheses, withShortExpressions, withShortNumbers } from '../../scripts/small/expressions.ts'
import { withExpressions } from '../../scripts/small/functions.ts'
import { withLiftedVariables } from '../../scripts/small/lifted.ts'
import { withShortMembers } from '../../scripts/small/members.ts'
import { withArrows, withSharedNames } from '../../scripts/small/shared-names.ts'
import { withShortNames } from '../../scripts/small/short-names.ts'
import { type Node, printed } from '../../scripts/small/tree.ts'

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

/** What a step makes of a module, as text, and that it does the same. */
async function made(module: string, step: (module: string) => Node): Promise<string> {
  const text = await printed(step(module), false, false)
  expect(await resultOf(text)).toEqual(await resultOf(module))
  return text
}

/** Each has functions whose variables could be parameters, or must not. */
const KEEPING: [module: string, ...holds: string[]][] = [
  // Called with fewer arguments than it has parameters, and never with more.
  ['var f=(a,b=2)=>{let c=a+b;if(c>9)return;let d=c*2;return d+c};export default[f(1),f(1,5),f(9)]', '?void 0:('],
  // A list passes further arguments: a parameter would be given them.
  ['var f=a=>{let b=a*2,c;return[b,c]};export default[[1,2].map(f),f(3)]', ')(v$'],
  ['var f=(...a)=>{let b=a.length;return b};export default f(1,2,3)', ')(v$'],
  ['var f=a=>{let b=a*2;return b};export default[...[[1,7],[2,8]].map(e=>f(...e))]', ')(v$'],
  // Of members only those that no text names.
  ['var o={one(a){let b=a;return b},two(a){let b=a;return b}},n="two";export default[o.one(1),o[n](2,3)]', '=v$'],
  ['var o={m(a){let b=this.x+a;return b},x:1};export default o.m(2)', 'this'],
  // Each round of a loop has its own variable.
  [
    'var f=n=>{let all=[];for(let i=0;i<n;i++){let j=i*2;all.push(()=>[i,j])}return all.map(e=>e())};export default f(3)',
  ],
  ['var f=n=>{let all=[];for(let i of n){let j;if(i>1)j=i;all.push(j)}return all};export default f([2,1])', 'void 0'],
  // What waits cannot stand in a parameter.
  ['var f=async a=>{let b=await a,c=b+1;return c};export default await f(Promise.resolve(1))', 'await'],
  ['var f=async a=>{let b=JSON.parse(a);return b};export default await f("{").catch(e=>e.name)', '=JSON'],
  // Branches that return and others that do not.
  ['var f=a=>{if(a>3){if(a>5)return 5}else return 3;return 4};export default[f(1),f(4),f(6)]'],
  ['var s=[],f=a=>{if(a){s.push(a);if(a>1)s.push(0)}else s.push(-1);s.push(9)};f(0);f(1);f(2);export default s', '&&'],
  ['var f=a=>{try{return a()}catch{return 0}};export default[f(()=>1),f(()=>{throw 1})]', 'try'],
  ['var g=f=>f(1),h=f=>f(1,2);export default[g(a=>{let b=a;return b}),h(a=>{let b=a;return b})]'],
]

test.each(KEEPING)('functions become expressions that do the same: %s', async (module, ...holds) => {
  const text = await made(module, withExpressions)
  for (const part of holds) expect(text).toContain(part)
})

const SHORTER: [module: string, holds: string, not: string][] = [
  ['var k="key";export default[{key:1}].map(({key:e})=>e)', '.key', '({key'],
  ['var f=o=>{let{long:a}=o;return a};export default f({long:1})', '.long', 'let'],
  // Read later, it would be another one.
  ['var o={long:1},f=({long:a})=>{o.long=2;return a};export default f(o)', '{long:', 'o$'],
  ['var f=async({long:a})=>{await 0;return a},o={long:1},p=f(o);o["long"]=2;export default await p', '{long:', 'o$'],
  ['var f=({long:a})=>{a++;return a};export default f({long:1})', '{long:', 'o$'],
  [`export default[1,null,"x",[1,2]].map((e,i)=>\`\${e}\${i}|\${e}\`)`, '+"|"+', '`'],
  ['export default[new RegExp("^a\\\\d/$","i").test("A1/"),new RegExp("/").source]', '/^a', 'RegExp'],
]

test.each(SHORTER)('expressions become shorter: %s', async (module, holds, not) => {
  const text = await made(module, withShortExpressions)
  expect(text).toContain(holds)
  expect(text).not.toContain(not)
})

/** The names that are ours, and those that could be someone else's. */
const MEMBERS: [module: string, ours: string, others: string][] = [
  ['var f=()=>({ours:e=>e+1,data:2}),o=f();export default[o.ours(1),o.data]', 'ours', 'data'],
  ['var f=()=>({other:e=>e+1}),o=f();export default[o.other(1),"other"in o]', '', 'other'],
  ['var f=()=>({other:e=>e+1}),o=f();export default[o.other(1),o.other===void 0]', '', 'other'],
  ['var f=()=>({other:e=>e+1}),o=f();export default[o.other(1),JSON.parse("{}").other]', '', 'other'],
  ['var f=()=>({other:e=>e+1}),g=()=>({other:2}),o=f();export default[o.other(1),g()]', '', 'other'],
  ['var f=({other})=>other(1);export default f({other:e=>e+1})', '', 'other'],
  [
    'var f=n=>{let o={other:e=>e+1};return[Object.hasOwn(o,n),o.other(1)]};export default f(["ot","her"].join(""))',
    '',
    'other',
  ],
  ['var o={other:e=>e+1};export default[o.other(1),Object.keys(o)]', '', 'other'],
  ['var f=()=>({map:e=>e+1}),o=f();export default[o.map(1),[1].map(e=>e)]', '', 'map'],
]

test.each(MEMBERS)('functions of objects get short names where they are ours: %s', async (module, ours, others) => {
  const text = await made(module, withShortMembers)
  expect(text).toContain(others)
  if (ours) expect(text).not.toContain(ours)
})

test('a function that is called where it stands reads what it is given under its own name', async () => {
  const module =
    'var a=1,b=2,c=0;c=5;export default[((e,t)=>e+t)(a,b),((e,t)=>(t++,e+t))(a,b),((e,t)=>e+t)(c,b),(e=>e)(...[a])]'
  const text = await made(module, withKnownArguments)
  expect(text.match(/=>/g)).toHaveLength(2)
})

/** What is given is put where it is read, unless something would then be done in another order, or not at all. */
const IN_PLACE: [module: string, holds: string][] = [
  ['var a={x:1},f=e=>e+1;export default(e=>f(e))(a.x)', '.x)'],
  ['var s=[],f=e=>(s.push(e),e);export default[(e=>[f(1),e])(f(2)),s]', '=>'],
  ['var s=[],f=e=>(s.push(e),e);export default[((e,t)=>[t,e])(f(1),f(2)),s]', '=>'],
  ['var s=[],f=e=>(s.push(e),e);export default[(e=>0&&e)(f(1)),s]', '=>'],
  ['var n=0,f=()=>++n;export default[(e=>()=>e)(f())(),(e=>[1,2].map(()=>e))(f())]', '=>()=>'],
  ['var f=async()=>2;export default await(async()=>(e=>e+1)(await f()))()', ')(await'],
  ['var a=1,f=(e=a)=>e,g=((e=a,t)=>e+(t??2))();export default[f(),g]', '??2'],
  ['var u,g=e=>((t=5)=>t+t)(e);export default[g(u),g(1)]', '=5'],
  ['var g=(e={})=>((t={x:1})=>[t,t])(e);export default[g(),g(2)]', '={}'],
]

test.each(IN_PLACE)('what is given is read where it is used: %s', async (module, holds) => {
  expect(await made(module, withKnownArguments)).toContain(holds)
})

/** The variables of a function that is called at once become those of the function around it. */
const LIFTED: [module: string, ...holds: string[]][] = [
  ['var f=(a,b=((c=a*2)=>c+c)())=>b+1;export default f(1)', ')=>v$'],
  ['var f=(a,b=((c=a*2)=>c+c)())=>b+1;export default[f(1),f(1,5)]', ')()'],
  ['var f=a=>[((c=a*2)=>c+c)()];export default[1,2].map(f)', ')()'],
  [
    'var f=a=>{let s=[];for(let i of a)s.push(((c,d=i)=>(c??=d,()=>c))());return s.map(e=>e())};export default f([1,2])',
    ')()',
  ],
  ['var f=async a=>[await(async(c=a*2)=>await c+1)()];export default await f(1)'],
]

test.each(LIFTED)('variables move into the function around: %s', async (module, ...holds) => {
  const text = await made(module, withLiftedVariables)
  for (const part of holds) expect(text).toContain(part)
})

test('names are short, and none hides another', async () => {
  const module = `var one=1,two=2,o={one,two};class Three{at=one}var f=(one,{two:[x]=[two]}={},...more)=>{
      for(let i=0;i<2;i++){let one=i;var kept=one+two}try{throw x}catch(caught){let one=caught;return[one,two,kept,more,(two=>two+x)(1)]}},
    g=function again(n){return n?again(n-1):one};export{f as named};export default[f(5,{},7),f(5,{two:[3]}),g(2),o,new Three().at]`
  const text = await made(module, (each) => withShortNames(each))
  expect(text).not.toMatch(/v\$|kept|caught|more/)
})

test('numbers and parentheses', async () => {
  const module = 'let a,b=2;export default[b*4294967296,b**.3333333333333333,65536,.5,.1,1e21,(a=b,({x:b}={x:7}),b),a]'
  const text = await made(module, (each) => withShortNames(each, withShortNumbers))
  expect(text).toContain('2**32')
  expect(text).toContain('**(1/3)')
  const bare = withoutParentheses(text)
  expect(bare.length).toBe(text.length - 2)
  expect(await resultOf(bare)).toEqual(await resultOf(module))
  const needed = 'var a;({a}={a:1}),a++;export default a'
  expect(await resultOf(withoutParentheses(needed))).toBe(2)
})
