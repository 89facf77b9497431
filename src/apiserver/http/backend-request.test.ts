import { describe, expect, it } from 'vitest';
import { shapeObject } from '../../kube/go-shape.ts';
import { type Node, Nodes } from '../../kube/resources/node.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { kubeletOf, logPath, onPort, portForwardPath, proxyTarget, streamPath } from './backend-request.ts';

const node = (status: object): Node => shapeObject(Nodes, { metadata: { name: 'n' }, status });
const pod = (containers: readonly string[], initContainers: readonly string[] = []): Pod => {
  const named = (names: readonly string[]): readonly object[] => names.map((name) => ({ name, image: 'i' }));
  const spec = { containers: named(containers), initContainers: named(initContainers) };
  return shapeObject(Pods, { metadata: { name: 'p', namespace: 'ns' }, spec });
};
const asked = (query: string): URLSearchParams => new URLSearchParams(query);

describe('where requests for nodes and pods go', () => {
  it('P-HTTP-16 addresses of several types -> the preferred one, and the port that the node tells', () => {
    const addresses = [
      { type: 'ExternalIP', address: '1.1.1.1' },
      { type: 'InternalIP', address: '10.0.0.1' },
    ];
    const daemonEndpoints = { kubeletEndpoint: { Port: 12_345 } };
    const kubelet = { scheme: 'https', host: '10.0.0.1', path: '/x' };
    expect(kubeletOf(node({ addresses, daemonEndpoints }), '/x')).toEqual({ ...kubelet, port: 12_345 });
    expect(kubeletOf(node({ addresses }), '/x')).toEqual({ ...kubelet, port: 10_250 });
  });

  it('P-HTTP-16 a node without an address -> said so', () => {
    expect(() => kubeletOf(node({}), '/')).toThrow('no preferred addresses found; known addresses: []');
  });

  it.each([
    ['n', { scheme: '', name: 'n', port: '' }],
    ['n:80', { scheme: '', name: 'n', port: '80' }],
    ['https:n:80', { scheme: 'https', name: 'n', port: '80' }],
    ['ftp:n:80', undefined],
    ['a:b:c:d', undefined],
  ])('P-HTTP-16 %s -> read as scheme, name and port', (text, target) => {
    expect(proxyTarget(text)).toEqual(target);
  });

  it('P-HTTP-16 another port than the kubelet’s -> another server, plain unless told', () => {
    const kubelet = { scheme: 'https', host: 'h', port: 10_250, path: '/' } as const;
    expect(onPort(kubelet, { scheme: '', name: 'n', port: '10250' })).toBe(kubelet);
    expect(onPort(kubelet, { scheme: '', name: 'n', port: '80' })).toMatchObject({ scheme: 'http', port: 80 });
    expect(onPort(kubelet, { scheme: 'https', name: 'n', port: '80' })).toMatchObject({ scheme: 'https', port: 80 });
    expect(() => onPort(kubelet, { scheme: '', name: 'n', port: '70000' })).toThrow('invalid port');
  });

  it('P-HTTP-16 options of a log -> in the kubelet’s words and order', () => {
    const query = asked('timestamps=true&tailLines=5&follow=0&previous=true&limitBytes=10');
    expect(logPath(pod(['c']), query)).toBe(
      '/containerLogs/ns/p/c?limitBytes=10&previous=true&tailLines=5&timestamps=true',
    );
  });

  it.each([
    ['tailLines=-1', 'tailLines: Invalid value: -1: must be greater than or equal to 0'],
    ['limitBytes=0', 'limitBytes: Invalid value: 0: must be greater than 0'],
    ['sinceSeconds=0', 'sinceSeconds: Invalid value: 0: must be greater than 0'],
    ['sinceSeconds=1&sinceTime=2020-01-01T00:00:00Z', 'at most one of `sinceTime` or `sinceSeconds` may be specified'],
    ['container=x', 'container x is not valid for pod p'],
  ])('P-HTTP-16 log with %s -> refused', (query, says) => {
    expect(() => logPath(pod(['c']), asked(query))).toThrow(says);
  });

  it('P-HTTP-16 several containers and none named -> the choice is told', () => {
    expect(() => streamPath(pod(['a', 'b'], ['i']), 'exec', asked(''))).toThrow(
      'a container name must be specified for pod p, choose one of: [a b] or one of the init containers: [i]',
    );
  });

  it('P-HTTP-16 a command and its streams -> the kubelet’s path', () => {
    const query = asked('command=ls&command=-l&stdin=true&stdout=1&tty=false&container=c');
    expect(streamPath(pod(['c']), 'exec', query)).toBe('/exec/ns/p/c?command=ls&command=-l&input=1&output=1');
    expect(streamPath(pod(['c']), 'attach', asked('stderr=true'))).toBe('/attach/ns/p/c?error=1');
    expect(portForwardPath(pod(['c']), asked('ports=80,81'))).toBe('/portForward/ns/p?port=80&port=81');
  });
});
