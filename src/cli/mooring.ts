// The program's entry. It only knows its version so far.
import manifest from '../../package.json' with { type: 'json' };

process.stdout.write(`${manifest.version}\n`);
