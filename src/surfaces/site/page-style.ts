export interface Palette {
  paper: string
  sheet: string
  ink: string
  muted: string
  line: string
  accent: string
  'on-accent': string
  'tag-paper': string
  'tag-ink': string
}

/** Every ink has a contrast of at least 4.5 to what it stands on (WCAG 2.2, 1.4.3). */
export const LIGHT: Palette = {
  paper: '#f7f6f1',
  sheet: '#ffffff',
  ink: '#18211d',
  muted: '#525d57',
  line: '#d9d8cf',
  accent: '#0b5d3b',
  'on-accent': '#ffffff',
  'tag-paper': '#ffe9b0',
  'tag-ink': '#5c3d00',
}
export const DARK: Palette = {
  paper: '#101513',
  sheet: '#181f1c',
  ink: '#e7ece9',
  muted: '#a5b1ab',
  line: '#303a35',
  accent: '#7cd3a6',
  'on-accent': '#08130d',
  'tag-paper': '#4a3708',
  'tag-ink': '#ffdf94',
}

const variables = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';')

/** The one style sheet, for all pages. Its hash stands in the content security policy. */
export const STYLE = `
:root{color-scheme:light dark;${variables(LIGHT)};--serif:"Iowan Old Style","Palatino Linotype",Palatino,"Book Antiqua",Georgia,serif;--mono:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media (prefers-color-scheme:dark){:root{${variables(DARK)}}}
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1.0625rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.wrap{max-width:68rem;margin:0 auto;padding:0 1.25rem}
a{color:var(--accent);text-underline-offset:.18em}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.skip{position:absolute;left:-99rem}
.skip:focus{left:.5rem;top:.5rem;background:var(--sheet);padding:.5rem .75rem;z-index:1}
.bar{background:var(--sheet);border-bottom:1px solid var(--line)}
.bar .wrap{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.25rem 1.5rem;padding-top:.75rem;padding-bottom:.75rem}
.brand{display:flex;align-items:center;gap:.6rem;color:var(--ink);font-weight:650;text-decoration:none}
.brand img{display:block}
nav ul{display:flex;flex-wrap:wrap;gap:0 1.1rem;margin:0;padding:0;list-style:none;font-size:.95rem}
nav a{display:inline-block;padding:.25rem 0}
h1,h2{font-family:var(--serif);line-height:1.15;text-wrap:balance;font-weight:600;letter-spacing:-.01em}
h1{font-size:clamp(2.1rem,1.4rem + 3vw,3.4rem);margin:0 0 1.1rem}
h2{font-size:1.7rem;margin:0 0 .75rem}
p,ul,ol,dl{margin:0 0 1rem}
section{padding:2.75rem 0;border-top:1px solid var(--line)}
section>p,section>ul,section>ol{max-width:44rem}
section:first-child{border-top:0}
section li{margin-bottom:.4rem}
.hero{display:grid;grid-template-columns:minmax(0,1.35fr) minmax(0,1fr);gap:2.5rem 3.5rem;align-items:center;padding:3.5rem 0}
.hero>div>:last-child{margin-bottom:0}
.lead{font-size:1.2rem;line-height:1.55;max-width:38rem}
.small{font-size:.92rem;color:var(--muted)}
.small code,.whole{white-space:nowrap}
.notice{border-left:4px solid var(--tag-ink);padding:.15rem 0 .15rem .9rem}
.tag{display:inline-block;background:var(--tag-paper);color:var(--tag-ink);font:700 .75rem/1 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;letter-spacing:.06em;padding:.3em .5em;border-radius:4px;vertical-align:middle}
code{font-family:var(--mono);font-size:.88em;overflow-wrap:anywhere}
form{display:flex;flex-wrap:wrap;gap:.75rem 1rem;align-items:flex-end;margin:1.5rem 0 .75rem}
form p{margin:0}
label{display:block;font-size:.92rem;font-weight:600;margin-bottom:.2rem}
input,button{font:inherit;min-height:2.9rem;border-radius:8px;padding:.4rem .8rem}
input{border:1px solid var(--muted);background:var(--sheet);color:var(--ink);max-width:100%}
input::placeholder{color:var(--muted);opacity:1}
button{border:0;background:var(--accent);color:var(--on-accent);font-weight:650;padding:.4rem 1.2rem;cursor:pointer}
button:hover{filter:brightness(1.08)}
.receipt{background:var(--sheet);border:1px solid var(--line);border-top:5px solid var(--accent);border-radius:10px;padding:1.5rem 1.6rem;box-shadow:0 12px 32px -20px rgb(0 0 0/.4)}
.receipt h2{font:650 .95rem/1.4 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;letter-spacing:0;color:var(--muted);margin:0}
.receipt p{margin-bottom:.6rem}
.receipt a{font-weight:600}
.receipt p:last-child{margin:0}
.receipt .amount{font:600 3.2rem/1.2 var(--serif);font-variant-numeric:lining-nums tabular-nums;margin:.3rem 0 .2rem}
.receipt dl{border-top:1px dashed var(--line);padding-top:.9rem;display:grid;grid-template-columns:auto 1fr;gap:.35rem 1rem;font-size:.95rem}
.receipt dt{color:var(--muted)}
.receipt dd{margin:0;text-align:right}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:1rem}
.tiles>div{background:var(--sheet);border:1px solid var(--line);border-radius:10px;padding:1.1rem 1.25rem}
.tiles dt{display:flex;justify-content:space-between;align-items:baseline;gap:.5rem;font-weight:600;font-size:1rem}
.tiles dt code{color:var(--muted);font-weight:400}
.tiles dd{margin:0;font-size:.95rem;color:var(--muted)}
.tiles .value{font:600 2.5rem/1.3 var(--serif);font-variant-numeric:lining-nums;color:var(--ink)}
.withheld{font-style:italic;font-weight:400;font-size:1.9rem;color:var(--muted)}
.scroll{overflow-x:auto;margin-bottom:1.25rem;background:var(--sheet);border:1px solid var(--line);border-radius:10px}
table{border-collapse:collapse;width:100%;font-size:.97rem}
caption{text-align:left;font-weight:600;padding:.8rem 1rem .3rem}
th,td{text-align:left;vertical-align:top;padding:.6rem 1rem;border-top:1px solid var(--line)}
thead th{color:var(--muted);font-size:.88rem;font-weight:600;border-top:0;white-space:nowrap}
tbody th{font-weight:600}
tbody th code{font-weight:400;color:var(--muted)}
.routes tbody th{white-space:nowrap}
.routes tbody th code{color:var(--ink)}
.number{text-align:right;font-variant-numeric:tabular-nums}
pre{background:var(--sheet);border:1px solid var(--line);border-radius:10px;padding:1rem 1.25rem;overflow-x:auto;line-height:1.55}
pre code{overflow-wrap:normal;font-size:.9rem}
.steps{counter-reset:step;list-style:none;padding:0}
.steps li{counter-increment:step;position:relative;padding:.15rem 0 .15rem 2.9rem;margin-bottom:.7rem;overflow-wrap:anywhere}
.steps li::before{content:counter(step);position:absolute;left:0;top:.1rem;width:1.9rem;height:1.9rem;border-radius:50%;background:var(--accent);color:var(--on-accent);font-weight:650;font-size:.95rem;line-height:1.9rem;text-align:center}
.problem{max-width:44rem;padding:3.5rem 0}
.problem h1{font-size:clamp(1.9rem,1.4rem + 2vw,2.6rem)}
.problem h2{font-size:1.25rem;margin-top:1.75rem}
footer{border-top:1px solid var(--line);padding:1.75rem 0;font-size:.95rem;color:var(--muted)}
footer p{margin:0}
@media (max-width:52rem){
.hero{grid-template-columns:minmax(0,1fr);padding:2rem 0 2.5rem}
section{padding:2.25rem 0}
}
@media (max-width:36rem){
.bar .wrap{padding-bottom:.4rem}
thead{position:absolute;left:-99rem}
tbody tr,tbody th,tbody td{display:block;padding:0;border:0}
tbody tr{border-top:1px solid var(--line);padding:.75rem 1rem}
.routes tbody th{white-space:normal}
.number{text-align:left}
td[data-label]{color:var(--muted);font-size:.95rem}
td[data-label]::before{content:attr(data-label) ": "}
pre code{white-space:pre-wrap;overflow-wrap:anywhere}
form p:last-child,form button{width:100%}
}
@media print{nav,form,.skip{display:none}}
`
