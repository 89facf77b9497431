import { describe, expect, test } from 'vitest';
import { proxyFor } from './proxy.ts';

const P = 'http://proxy:3128';

describe('proxyFor', () => {
  test.each<readonly [string, string, string | undefined, Record<string, string>, string | undefined]>([
    ['none', 'https://api', undefined, {}, undefined],
    ['the cluster’s own', 'https://api', P, { NO_PROXY: '*' }, 'proxy:3128'],
    ['the environment’s', 'https://api', undefined, { HTTPS_PROXY: P }, 'proxy:3128'],
    ['in small letters, without a scheme', 'https://api', undefined, { https_proxy: 'proxy:3128' }, 'proxy:3128'],
    ['of another scheme', 'https://api', undefined, { HTTP_PROXY: P }, undefined],
    ['loopback', 'https://127.0.0.1:6443', undefined, { HTTPS_PROXY: P }, undefined],
    ['localhost', 'https://localhost:6443', undefined, { HTTPS_PROXY: P }, undefined],
    ['all excepted', 'https://api', undefined, { HTTPS_PROXY: P, NO_PROXY: '*' }, undefined],
    [
      'domain excepted',
      'https://api.example.com',
      undefined,
      { HTTPS_PROXY: P, NO_PROXY: 'x, example.com' },
      undefined,
    ],
    [
      'only below the domain',
      'https://example.com',
      undefined,
      { HTTPS_PROXY: P, NO_PROXY: '.example.com' },
      'proxy:3128',
    ],
    ['below the domain', 'https://a.example.com', undefined, { HTTPS_PROXY: P, NO_PROXY: '.example.com' }, undefined],
    ['part of a name', 'https://notexample.com', undefined, { HTTPS_PROXY: P, NO_PROXY: 'example.com' }, 'proxy:3128'],
    ['network', 'https://10.1.2.3:6443', undefined, { HTTPS_PROXY: P, NO_PROXY: '10.0.0.0/8' }, undefined],
    ['outside the network', 'https://11.1.2.3', undefined, { HTTPS_PROXY: P, NO_PROXY: '10.0.0.0/8' }, 'proxy:3128'],
    ['port', 'https://api:6443', undefined, { HTTPS_PROXY: P, NO_PROXY: 'api:6443' }, undefined],
    ['other port', 'https://api', undefined, { HTTPS_PROXY: P, NO_PROXY: 'api:6443' }, 'proxy:3128'],
  ])('P-KC-3 %s', (_what, server, own, environment, host) => {
    expect(proxyFor(new URL(server), own, environment)?.host).toBe(host);
  });

  test('P-KC-5 proxy that cannot be used -> told without its password', () => {
    const act = (): unknown => proxyFor(new URL('https://api'), 'socks5://me:secret@proxy', {});
    expect(act).toThrow('the proxy socks5://proxy cannot be used');
  });
});
