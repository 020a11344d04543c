import { ABOUT, SERVICE } from '../discovery/descriptor.ts'
import { type Html, html, page } from './html.ts'
import { grouped, inWords, isSample, type LandingFacts, NEVER_EXPOSED, TERMS, verifyCommands } from './landing-facts.ts'

const SAMPLE = html` <strong class="tag">SAMPLE</strong>`
const NOTHING = html``

const NAV = html`<nav aria-label="On this page"><ul>
<li><a href="#figures">Figures</a></li><li><a href="#charts">Charts</a></li><li><a href="#verify">Verify</a></li>
<li><a href="#agents">Agents</a></li><li><a href="#terms">Terms</a></li></ul></nav>`

export const landingHtml = (facts: LandingFacts): string =>
  page({
    title: `${SERVICE}: medical reference prices that anyone can check`,
    description: ABOUT,
    nav: NAV,
    head: html`<link rel="canonical" href="${facts.base}/">
<link rel="alternate" type="text/markdown" href="/">
<link rel="service-desc" type="application/json" href="/api/openapi.json">
<link rel="describedby" type="application/json" href="/api/readme">`,
    main: html`${hero(facts)}${figures(facts)}${charts(facts)}${verify(facts)}${agents(facts)}${never()}${terms()}`,
  })

const hero = (facts: LandingFacts): Html => html`
<section class="hero">
<div>
<h1>Medical reference prices that anyone can check</h1>
<p class="lead">This service publishes what Medicare and hospitals state as the price of a procedure code. Each price names the file
and the line it comes from, and carries a proof that you can check on your own computer, without trusting us.</p>
${facts.sample ? html`<p class="notice"><strong class="tag">SAMPLE</strong> This installation shows sample data. Amounts and figures marked SAMPLE are invented for demonstration.</p>` : NOTHING}
<form action="/reference" method="get">
<p><label for="cpt">Procedure code</label>
<input id="cpt" name="cpt" required maxlength="5" size="8" pattern="[0-9]{4}[0-9A-Za-z]|[A-Za-z][0-9]{4}" placeholder="${facts.example?.cpt ?? '99213'}" autocomplete="off" title="Five characters, such as 99213 or G0101"></p>
<p><label for="region">Region</label>
<input id="region" name="region" required value="national" maxlength="12" size="12" autocomplete="off" aria-describedby="regions"></p>
<p><button type="submit">Look up the price</button></p>
</form>
<p class="small" id="regions">A region is <code>national</code>, a state such as <code>US-AK</code>, a Medicare locality such as
<code>US-CA-18</code>, or <code>ZIP-90210</code>. The answer is JSON with its proof.</p>
</div>
${example(facts)}
</section>`

function example({ example: price }: LandingFacts): Html {
  if (!price)
    return html`<aside class="receipt"><h2>No price yet</h2><p>The code 99213 has no price in force today. The first one appears here.</p></aside>`
  return html`<aside class="receipt" aria-labelledby="example">
<h2 id="example">A price and its source${price.sample ? SAMPLE : NOTHING}</h2>
<p class="amount">${price.shown}</p>
<p>is the ${price.region === 'national' ? 'national' : html`<code>${price.region}</code>`} reference price of code <code>${price.cpt}</code>, in force since
${day(price.effective_from)}.</p>
<dl>
<dt>Stated by</dt><dd>${price.schedule}</dd>
<dt>In the file</dt><dd><code>${price.file}</code>, <span class="whole">line ${grouped(String(price.line))}</span></dd>
<dt>Release</dt><dd><code>${price.release_id}</code></dd>
</dl>
<p><a href="${price.address}">See it with its proof</a></p>
<p class="small">A reference, not what a patient owes.</p>
</aside>`
}

const figures = ({ figures: { released, sample, list } }: LandingFacts): Html => html`
<section id="figures">
<h2>Dispute figures${sample ? SAMPLE : NOTHING}</h2>
<p>Aggregates of medical bill disputes. ${released === null ? 'No figures have been released yet.' : html`Released ${day(released)}.`}</p>
<dl class="tiles">${list.map(
  ({ key, name, value, meaning }) => html`
<div><dt>${name} <code>${key}</code></dt><dd class="value">${value ?? html`<span class="withheld">withheld</span>`}</dd><dd>${meaning}</dd></div>`,
)}
</dl>
${list.some(({ value }) => value === undefined) ? html`<p class="small">A figure is withheld if it rests on so few cases that it could point to a person. Withheld does not mean zero.</p>` : NOTHING}
<p><a href="/api/figures">All figures, with their definitions</a></p>
</section>`

const charts = ({ charts: { list, total } }: LandingFacts): Html => html`
<section id="charts">
<h2>Price lists in force</h2>
${
  list.length === 0
    ? html`<p>No price list is in force yet.</p>`
    : html`<div class="scroll" role="region" aria-labelledby="chart-list" tabindex="0"><table>
<caption id="chart-list">Editions in force today</caption>
<thead><tr><th scope="col">Price list</th><th scope="col">Edition</th><th scope="col">In force since</th><th scope="col" class="number">Rows</th></tr></thead>
<tbody>${list.map(
        (chart) => html`
<tr><th scope="row">${chart.title}${isSample(chart) ? SAMPLE : NOTHING}<br><code>${chart.chart}</code></th><td data-label="Edition">${chart.edition}</td><td data-label="In force since">${day(chart.effective_from)}</td><td data-label="Rows" class="number">${grouped(String(chart.rows))}</td></tr>`,
      )}
</tbody></table></div>
${total > list.length ? html`<p>The first ${list.length} of ${grouped(String(total))}. <a href="/api/coverage">All of them, with their content</a></p>` : NOTHING}`
}
</section>`

function verify({ base, example: price }: LandingFacts): Html {
  const [pin, check] = verifyCommands(base, price?.address ?? '/reference?cpt=99213')
  return html`
<section id="verify">
<h2>Check it yourself, offline</h2>
<p>Save the keys of the log once, then check any answer with them. The check needs no network and takes nothing from
the answer on trust: the row is hashed into its release, the release into an append-only log, and the log must bear a signature by a key you kept.</p>
<pre tabindex="0" aria-label="Commands that check a price"><code># once: the keys to trust
${pin ?? ''}

# any time: a price and its proof
${check ?? ''}</code></pre>
<p>That a code has <em>no</em> price is proved in the same way. The keys are at <a href="/log/policy">/log/policy</a>.</p>
</section>`
}

const agents = ({ steps, operations }: LandingFacts): Html => html`
<section id="agents">
<h2>How an agent gets access</h2>
<p>Prices and figures are open to all. The rest needs a short-lived token, which an agent obtains in four steps with a key from the operator.</p>
<ol class="steps">${steps.map((step) => html`<li>${step}</li>`)}</ol>
<div class="scroll" role="region" aria-labelledby="operation-list" tabindex="0"><table class="routes">
<caption id="operation-list">What can be asked</caption>
<thead><tr><th scope="col">Route</th><th scope="col">Answer</th><th scope="col">Needs</th></tr></thead>
<tbody>${operations.map(
  ({ route, summary, needs }) => html`
<tr><th scope="row"><code>${route}</code></th><td>${summary}</td><td data-label="Needs">${needs}</td></tr>`,
)}
</tbody></table></div>
<p>Read the <a href="/api/readme">briefing</a> first, then the <a href="/api/agent-rails/policy">rails policy</a>. The whole interface is in the
<a href="/api/openapi.json">OpenAPI description</a>; there are an <a href="/.well-known/agent-card.json">agent card</a> and a
<a href="/.well-known/ai-plugin.json">plugin manifest</a>. This page is also markdown and JSON, for whoever asks with <code>Accept</code>.</p>
</section>`

const never = (): Html => html`
<section id="never">
<h2>What is never exposed</h2>
<ul>${NEVER_EXPOSED.map((thing) => html`<li>${thing}</li>`)}</ul>
</section>`

const terms = (): Html => html`
<section id="terms">
<h2>Terms</h2>
<ul>${TERMS.map((term) => html`<li>${term}</li>`)}</ul>
</section>`

const day = (date: string): Html => html`<time datetime="${date}">${inWords(date)}</time>`
