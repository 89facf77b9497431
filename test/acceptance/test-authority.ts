// Certificates for one test, by the machine's openssl.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface IssueOptions {
  readonly names?: readonly string[];
  readonly addresses?: readonly string[];
  /** Groups. */
  readonly organizations?: readonly string[];
  /** Ended yesterday. */
  readonly isExpired?: boolean;
}

export interface TestAuthority {
  readonly ca: string;
  issue(name: string, options: IssueOptions): { readonly cert: string; readonly key: string };
}

export function testAuthority(folder: string): TestAuthority {
  const at = (file: string): string => path.join(folder, file);
  const openssl = (...words: readonly string[]): void => void execFileSync('openssl', words, { stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.crt'),
    '-subj',
    '/CN=test-ca',
    '-days',
    '2',
  );
  return {
    ca: readFileSync(at('ca.crt'), 'utf8'),
    issue: (name, { names = [], addresses = [], organizations = [], isExpired = false }) => {
      const subject = `${organizations.map((each) => `/O=${each}`).join('')}/CN=${name}`;
      openssl('req', '-new', ...newKey, '-keyout', at(`${name}.key`), '-out', at(`${name}.csr`), '-subj', subject);
      const known = [...names.map((each) => `DNS:${each}`), ...addresses.map((each) => `IP:${each}`)];
      writeFileSync(at(`${name}.ext`), known.length === 0 ? '' : `subjectAltName=${known.join(',')}\n`);
      const signed = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial', '-out', at(`${name}.crt`)];
      // Old openssl has no dates for `x509 -req`; a negative number of days ends before it begins.
      const days = isExpired ? '-1' : '1';
      openssl('x509', '-req', '-in', at(`${name}.csr`), ...signed, '-days', days, '-extfile', at(`${name}.ext`));
      return { cert: readFileSync(at(`${name}.crt`), 'utf8'), key: readFileSync(at(`${name}.key`), 'utf8') };
    },
  };
}
