// What stands around the service is what it needs: checked by its own tools where they are found, and against the code.

import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Settings } from '../../src/config.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findProgram } from '../support/program.ts'
import { isSkipped } from '../support/skipping.ts'

const ROOT = join(import.meta.dir, '../..')
const DEPLOY = join(ROOT, 'deploy')
const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8')

/** Every family that the service has, by the names in the code that makes them. */
const families = (): Set<string> =>
  new Set(
    readdirSync(join(ROOT, 'src/metrics')).flatMap((name) =>
      [...readFileSync(join(ROOT, 'src/metrics', name), 'utf8').matchAll(/'((?:atr|process)_[a-z_]+)'/g)].map(
        ([, family = '']) => family,
      ),
    ),
  )

test('alerts and dashboard name only metrics that the service has', () => {
  const known = families()
  expect(known.size).toBeGreaterThan(20)
  for (const file of ['prometheus/alerts.yml', 'prometheus/alerts_test.yml', 'grafana/dashboard.json']) {
    const named = [...read(file).matchAll(/\b(?:atr|process)_[a-z_]+/g)].map(([name]) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    )
    expect(named.length).toBeGreaterThan(5)
    expect([file, [...new Set(named)].filter((name) => !known.has(name))]).toEqual([file, []])
  }
})

test('there is an alert for each state that an operator must know of', () => {
  const names = [...read('prometheus/alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
  for (const name of [
    'ReplicaStale',
    'ChartOutOfDate',
    'UpdateFailing',
    'ClockWrong',
    'DiskNearlyFull',
    'VerificationFailed',
  ])
    expect(names).toContain(`Registry${name}`)
})

const promtool = findProgram(['promtool'], ['prometheus'])
const noPromtool = isSkipped('alerts by promtool', promtool ? undefined : 'it is not here and cannot be installed')

test.skipIf(noPromtool)('promtool takes the rules, and each state fires its alert', () => {
  for (const words of [
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts_test.yml'],
  ]) {
    const { exitCode, stdout, stderr } = Bun.spawnSync([promtool ?? '', ...words], { cwd: join(DEPLOY, 'prometheus') })
    expect([words, exitCode, exitCode === 0 ? '' : `${stdout}${stderr}`]).toEqual([words, 0, ''])
  }
})

const analyze = findProgram(['systemd-analyze'], ['systemd'])
const noSystemd = isSkipped('units by systemd-analyze', analyze ? undefined : 'it is not here and cannot be installed')

test.skipIf(noSystemd)('systemd takes the units', () => {
  using folder = temporaryFolder()
  // The program of the units is at a place that this machine does not have.
  const program = join(folder.path, 'bun')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  const units = readdirSync(join(DEPLOY, 'systemd'))
  expect(units).toHaveLength(3)
  mkdirSync(join(folder.path, 'units'))
  for (const name of units)
    writeFileSync(
      join(folder.path, 'units', name),
      read(`systemd/${name}`).replaceAll('/opt/agent-trust-registry/node_modules/.bin/bun', program),
    )
  const paths = units.map((name) => join(folder.path, 'units', name))
  const { stderr } = Bun.spawnSync([analyze ?? '', 'verify', '--man=no', ...paths])
  const about = String(stderr)
    .split('\n')
    .filter((line) => line.includes('agent-trust-registry'))
  expect(about).toEqual([])
})

describe('containers', () => {
  const settings = Object.keys(Settings.shape)
  const OTHERS = /^(S3_|PG|AWS_)/

  test('the image is not root, needs no file that it does not copy, and asks for its health', () => {
    const text = read('container/Containerfile')
    const copied = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, words = '']) => words.split(' '))
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    for (const folder of ['src', 'docs/spec/tables', 'sample', 'package.json']) expect(copied).toContain(folder)
    expect(text).toMatch(/^USER 10001:10001$/m)
    expect(text).toContain('/livez')
    expect(text.lastIndexOf('USER')).toBeGreaterThan(text.lastIndexOf('RUN'))
  })

  test('compose sets only settings that there are, gives no privilege, and waits for requests under way', () => {
    interface Service {
      environment: Record<string, string>
      read_only?: boolean
      cap_drop?: string[]
      stop_grace_period?: string
    }
    const { services } = Bun.YAML.parse(read('compose/compose.yaml')) as { services: Record<string, Service> }
    for (const name of ['registry-1', 'registry-2']) {
      const service = services[name]
      expect(
        Object.keys(service?.environment ?? {}).filter((each) => !settings.includes(each) && !OTHERS.test(each)),
      ).toEqual([])
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], stop_grace_period: '70s' })
    }
    expect(Object.keys(services).sort()).toEqual(
      ['grafana', 'nginx', 'objects', 'postgres', 'prometheus', 'registry-1', 'registry-2', 'valkey'].sort(),
    )
  })

  test('Kubernetes asks the right probe for each purpose, and gives no privilege', () => {
    const [set, service, budget] = Bun.YAML.parse(read('kubernetes/registry.yaml')) as Record<string, unknown>[]
    expect([set?.['kind'], service?.['kind'], budget?.['kind']]).toEqual([
      'StatefulSet',
      'Service',
      'PodDisruptionBudget',
    ])
    const spec = set?.['spec'] as { template: { spec: { containers: Record<string, unknown>[] } } } | undefined
    const pod = spec?.template.spec
    const [container] = pod?.containers ?? []
    expect(container).toMatchObject({
      startupProbe: { httpGet: { path: '/startupz' } },
      readinessProbe: { httpGet: { path: '/readyz' }, failureThreshold: 1 },
      livenessProbe: { httpGet: { path: '/livez' } },
      securityContext: {
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      },
    })
    expect(pod).toMatchObject({ securityContext: { runAsNonRoot: true }, terminationGracePeriodSeconds: 70 })
    const env = container?.['env'] as { name: string }[]
    expect(env.map(({ name }) => name).filter((each) => !settings.includes(each) && !OTHERS.test(each))).toEqual([])
  })
})
