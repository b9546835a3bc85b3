// `npm run bench`: prints ratios within one run, on its own stack. Absolute times depend on the machine and its other load;
// ratios of alternating loads hardly do.
import { startLoadProcess } from './load/client.ts';
import { paces } from './pace.ts';
import { printRatios, type Ratio } from './report.ts';
import { measureBoot } from './sections/boot.ts';
import { measureConnecting } from './sections/connect.ts';
import { measureCost } from './sections/cost.ts';
import { measureDeliveries } from './sections/deliveries.ts';
import { measureLayers } from './sections/layers.ts';
import { measureNeighbors } from './sections/neighbors.ts';
import { measurePayments } from './sections/payments.ts';
import { measurePoints } from './sections/points.ts';
import { measureRecords } from './sections/records.ts';
import { measureSlope } from './sections/slope.ts';
import { measureThroughput } from './sections/throughput.ts';
import { measureWaits } from './sections/waits.ts';
import { startStage } from './stage.ts';

const sections = {
  throughput: measureThroughput,
  waits: (stage, _load, pace) => measureWaits(stage, pace),
  boot: (stage, _load, pace) => measureBoot(stage, pace),
  connect: measureConnecting,
  slope: measureSlope,
  payments: measurePayments,
  records: measureRecords,
  points: measurePoints,
  cost: measureCost,
  layers: measureLayers,
  deliveries: (stage, _load, pace) => measureDeliveries(stage, pace),
  neighbors: measureNeighbors,
} satisfies Record<string, typeof measureThroughput>;
type Section = keyof typeof sections;

const chosen = process.argv.slice(2).filter((argument) => argument !== '--quick');
const pace = process.argv.includes('--quick') ? paces.quick : paces.full;
const isSection = (name: string): name is Section => Object.hasOwn(sections, name);

async function main(names: Section[]): Promise<void> {
  const load = startLoadProcess();
  const stage = await startStage();
  const stop = async () => {
    load.stop();
    await stage.stop();
  };
  process.once('SIGINT', () => void stop().then(() => process.exit(130)));
  try {
    const ratios: Ratio[] = [];
    for (const name of names) ratios.push(...(await sections[name](stage, load, pace)));
    printRatios(ratios);
  } finally {
    await stop();
  }
}

if (chosen.every(isSection)) {
  await main(chosen.length > 0 ? chosen.filter(isSection) : (Object.keys(sections) as Section[]));
} else {
  console.error(`Usage: npm run bench [-- [--quick] [${Object.keys(sections).join('] [')}]]`);
  process.exitCode = 2;
}
