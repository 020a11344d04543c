// Why the official conformance suite fails where it does. Most of its scenarios call things of a server made for them: they
// are run a second time with these things behind the same transport (mcp-fixture.ts), where only what has no place in a
// service without sessions fails.

const FIXTURE = 'calls a tool, prompt or resource of the example server by name; this service has others'
const NO_PROMPTS = 'gets a prompt of the example server by name; this service has none'
const NO_COMPLETION = 'completion of arguments is not offered'
const NO_LOGGING = 'logging to clients is deprecated since 2026-07-28, and not offered'
const NO_SUBSCRIPTION = 'nothing is announced, so there is nothing to subscribe to'
const NO_SESSIONS = 'warns that there is no session to open several streams in; the service has no sessions'
const NO_ECHO = 'wants the address that was asked for in the error; this service repeats nothing that was sent'
const NO_QUESTIONS = 'a tool of this service never asks its caller anything; the scenario needs one that does'

const BOTH: Readonly<Record<string, string>> = {
  'completion-complete': NO_COMPLETION,
  'prompts-get-embedded-resource': NO_PROMPTS,
  'prompts-get-simple': NO_PROMPTS,
  'prompts-get-with-args': NO_PROMPTS,
  'prompts-get-with-image': NO_PROMPTS,
  'resources-read-binary': FIXTURE,
  'resources-read-text': FIXTURE,
  'resources-templates-read': FIXTURE,
  'tools-call-audio': FIXTURE,
  'tools-call-embedded-resource': FIXTURE,
  'tools-call-error': FIXTURE,
  'tools-call-image': FIXTURE,
  'tools-call-mixed-content': FIXTURE,
  'tools-call-simple-text': FIXTURE,
  'tools-call-with-progress': FIXTURE,
}

/** By requirement set: the scenarios that fail, each with the reason. */
export const EXPECTED_FAILURES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '2025-11-25': {
    ...BOTH,
    'elicitation-sep1034-defaults': NO_QUESTIONS,
    'elicitation-sep1330-enums': NO_QUESTIONS,
    'logging-set-level': NO_LOGGING,
    'resources-subscribe': NO_SUBSCRIPTION,
    'resources-unsubscribe': NO_SUBSCRIPTION,
    'server-sse-multiple-streams': NO_SESSIONS,
    'tools-call-elicitation': NO_QUESTIONS,
    'tools-call-sampling': NO_QUESTIONS,
    'tools-call-with-logging': NO_LOGGING,
  },
  '2026-07-28': {
    ...BOTH,
    'input-required-result-basic-elicitation': NO_QUESTIONS,
    'input-required-result-basic-list-roots': NO_QUESTIONS,
    'input-required-result-basic-sampling': NO_QUESTIONS,
    'input-required-result-capability-check': NO_QUESTIONS,
    'input-required-result-ignore-extra-params': NO_QUESTIONS,
    'input-required-result-missing-input-response': NO_QUESTIONS,
    'input-required-result-multi-round': NO_QUESTIONS,
    'input-required-result-multiple-input-requests': NO_QUESTIONS,
    'input-required-result-non-tool-request': NO_QUESTIONS,
    'input-required-result-request-state': NO_QUESTIONS,
    'input-required-result-result-type': NO_QUESTIONS,
    'input-required-result-tampered-state': NO_QUESTIONS,
    'sep-2164-resource-not-found': NO_ECHO,
    'server-stateless': 'four of its checks need tools of the example server; the others pass',
  },
}

const NO_WAY_BACK =
  'the server asks the client in the middle of an answer; without sessions, no reply could find its way'

/** Starts the suite's own things behind the transport of the service. */
export const FAILURES_OF_FIXTURE: typeof EXPECTED_FAILURES = {
  '2025-11-25': {
    'elicitation-sep1034-defaults': NO_WAY_BACK,
    'elicitation-sep1330-enums': NO_WAY_BACK,
    'server-sse-multiple-streams': NO_SESSIONS,
    'tools-call-elicitation': NO_WAY_BACK,
    'tools-call-sampling': NO_WAY_BACK,
  },
  '2026-07-28': {},
}

/** Scenarios of which some checks count: only these of them may fail. */
export const EXPECTED_CHECKS: Readonly<Record<string, readonly string[]>> = {
  'server-stateless': [
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-missing-capability-http-400',
    'sep-2575-server-no-log-without-loglevel',
    'sep-2575-server-rejects-undeclared-capability',
  ],
  // The two that are duties pass.
  'sep-2164-resource-not-found': [],
}

/** Scenarios that say something about this service; each must have been run and have passed. */
export const MUST_PASS: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
  ],
  '2026-07-28': [
    'tools-list',
    'resources-list',
    'prompts-list',
    'caching',
    'dns-rebinding-protection',
    'http-header-validation',
    'server-sse-multiple-streams',
  ],
}
