// The program: parses, calls, prints. Every fault a user can mend is one line on stderr.
import { Command, CommanderError } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { FileFault } from '../simulation/yaml-reader.ts';
import { addApiServer } from './apiserver.ts';
import { addChaos } from './chaos.ts';
import { CommandError, EXIT } from './command-error.ts';
import { addControllers } from './controllers.ts';
import { addDown } from './down.ts';
import { addKubeconfig } from './kubeconfig.ts';
import { addSim } from './sim.ts';
import { addStatus } from './status.ts';
import { addUp } from './up.ts';
import { isSweepThread, runSweepThread } from './sim-sweep.ts';

function programOf(): Command {
  const program = new Command('mooring')
    .description(
      'The Kubernetes persistent-volume control plane, and the tool that keeps volumes moored to the right node.',
    )
    .version(manifest.version)
    .showHelpAfterError('(mooring --help shows the commands)')
    .addHelpText('after', '\nExample:\n  mooring sim run first-claims');
  addSim(program);
  addUp(program);
  addStatus(program);
  addDown(program);
  addKubeconfig(program);
  addChaos(program);
  addApiServer(program);
  addControllers(program);
  for (const command of [program, ...program.commands, ...program.commands.flatMap((each) => each.commands)])
    command.exitOverride();
  return program;
}

async function main(words: readonly string[]): Promise<void> {
  try {
    await programOf().parseAsync([...words]);
  } catch (error) {
    process.exitCode = report(error);
  }
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
  if (error instanceof FileFault) {
    process.stderr.write(`${error.line}\n`);
    return EXIT.usage;
  }
  if (error instanceof CommandError) {
    process.stderr.write(`mooring: ${error.message}\n`);
    return error.exitCode;
  }
  throw error;
}

await (isSweepThread() ? runSweepThread() : main(process.argv));
