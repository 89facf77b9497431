// Makes many keys and certificates in one process, one after another, while memory is collected as it comes.
import { CertificateAuthority, newAuthority } from '../../src/apiserver/http/certificates/authority.ts';

const COUNT = 12_000;
const authority = new CertificateAuthority(newAuthority(0));
for (let made = 0; made < COUNT; made += 1) authority.issue({ commonName: `user-${made}` }, { type: 'client' }, 0);
process.stdout.write(`${COUNT} made\n`);
