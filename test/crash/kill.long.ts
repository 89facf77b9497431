// The server killed a thousand times under 64 writers, on one directory.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { reportFigure } from '../../scripts/long/report.ts';
import { builtProgram } from '../acceptance/started-server.ts';
import { KilledServer } from './killed-server.ts';

const KILLS = 1000;
const folder = mkdtempSync(path.join(tmpdir(), 'mooring-crash-'));
const program = await builtProgram(folder);
const server = new KilledServer({ program, directory: path.join(folder, 'data'), writers: 64, writes: 256 });
let [acknowledged, lost, untold, wentBack, missed, resumed] = [0, 0, 0, 0, 0, 0];
for (let kill = 0; kill < KILLS; kill++) {
  const round = await server.round();
  acknowledged += round.acknowledged;
  lost += round.lost.length;
  untold += round.untold.length;
  wentBack += round.wentBack ? 1 : 0;
  missed += round.watch === 'missed something' ? 1 : 0;
  resumed += round.watch === 'resumed' ? 1 : 0;
}
rmSync(folder, { recursive: true, force: true });
reportFigure({ name: 'kills', value: String(KILLS) });
reportFigure({ name: 'acknowledged writes', value: String(acknowledged) });
reportFigure({ name: 'lost', value: String(lost) });
reportFigure({ name: 'told to a watch and lost', value: String(untold) });
reportFigure({ name: 'revisions that went back', value: String(wentBack) });
reportFigure({ name: 'watches resumed', value: `${resumed}, with something missing: ${missed}` });
if (lost + untold + wentBack + missed > 0) process.exitCode = 1;
