// Real kubectl and kinds that it defines itself.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { peersFor } from '../peers.ts';
import { StartedServer, builtProgram } from './started-server.ts';

const peers = peersFor('kubectl', ['kubectl']);
const KUBECTL = peers?.kubectl ?? '';
const folder = mkdtempSync(path.join(tmpdir(), 'mooring-custom-'));
let server: StartedServer;

function kubectl(input: string, ...words: readonly string[]): string {
  const env = { ...process.env, HOME: folder, KUBECONFIG: server.kubeconfig };
  const { stdout, stderr } = spawnSync(KUBECTL, words, { encoding: 'utf8', env, input });
  return `${stdout}${stderr}`;
}

const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: crontabs.stable.example.com }
spec:
  group: stable.example.com
  scope: Namespaced
  names: { plural: crontabs, kind: CronTab, shortNames: [ct], categories: [all] }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { scale: { specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas } }
      additionalPrinterColumns: [{ name: When, type: string, jsonPath: .spec.cronSpec }]
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              description: what runs when
              required: [cronSpec]
              x-kubernetes-validations: [{ rule: 'self.replicas <= 5', message: at most five }]
              properties:
                cronSpec: { type: string, description: five fields }
                replicas: { type: integer, default: 1 }
            status: { type: object, properties: { replicas: { type: integer } } }
`;
const tab = (name: string, spec: string): string =>
  `{apiVersion: stable.example.com/v1, kind: CronTab, metadata: {name: ${name}}, spec: ${spec}}`;

// skipped: without kubectl there is nothing to ask
describe.skipIf(peers === undefined)('kubectl and custom resources', () => {
  beforeAll(async () => {
    server = await StartedServer.start(await builtProgram(folder), path.join(folder, 'data'));
    kubectl(DEFINITION, 'apply', '-f', '-');
  }, 120_000);
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('P-CR-12 wait for the definition, apply, get by short name and category -> as with any kind', () => {
    expect(
      kubectl('', 'wait', '--for=condition=established', '--timeout=5s', 'crd/crontabs.stable.example.com'),
    ).toMatch(/condition met/);
    expect(kubectl(tab('a', '{cronSpec: "* * * * *"}'), 'apply', '-f', '-')).toBe(
      'crontab.stable.example.com/a created\n',
    );
    expect(kubectl('', 'get', 'ct')).toMatch(/^NAME +WHEN\na +\* \* \* \* \*\n$/);
    expect(kubectl('', 'get', 'all')).toMatch(/crontab\.stable\.example\.com\/a/);
    expect(kubectl('', 'scale', 'ct/a', '--replicas=3')).toBe('crontab.stable.example.com/a scaled\n');
    expect(kubectl('', 'get', 'ct', 'a', '-o', 'jsonpath={.spec.replicas}')).toBe('3');
  });

  test('P-CR-12 strict validation, a broken rule and a missing field -> refused in upstream words', () => {
    expect(kubectl(tab('b', '{cronSpec: x, nope: 1}'), 'create', '--validate=strict', '-f', '-')).toMatch(
      /strict decoding error: unknown field "spec\.nope"/,
    );
    expect(kubectl(tab('b', '{cronSpec: x, replicas: 9}'), 'create', '-f', '-')).toMatch(
      /spec: Invalid value: at most five/,
    );
    expect(kubectl(tab('b', '{}'), 'create', '-f', '-')).toMatch(/spec\.cronSpec: Required value/);
  });

  test('P-OA-5 explain -> fields of custom and built-in kinds, nested and all at once', () => {
    expect(kubectl('', 'explain', 'ct.spec')).toMatch(
      /what runs when[\s\S]*cronSpec\t<string> -required-\n +five fields/,
    );
    expect(kubectl('', 'explain', 'pvc.spec.storageClassName')).toMatch(/FIELD: storageClassName <string>/);
    expect(kubectl('', 'explain', 'cronjob', '--recursive')).toMatch(/concurrencyPolicy\t<string>/);
  });

  test('P-OA-5 diff and server-side apply -> by the schema', () => {
    expect(kubectl(tab('a', '{cronSpec: "1 * * * *"}'), 'diff', '-f', '-')).toMatch(/\+ {2}cronSpec: 1 \* \* \* \*/);
    const applied = kubectl(tab('c', '{cronSpec: "0 * * * *"}'), 'apply', '--server-side', '-f', '-');
    expect(applied).toBe('crontab.stable.example.com/c serverside-applied\n');
  });

  test('P-CR-12 the definition is deleted -> its objects and its kind are gone', () => {
    kubectl('', 'delete', 'crd', 'crontabs.stable.example.com');
    expect(kubectl('', 'get', 'crontabs.stable.example.com')).toMatch(
      /the server (doesn't have a resource type|could not find)/,
    );
  });
});
