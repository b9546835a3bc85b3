// Loaded by a function before its own module: signals shift its clock, as a machine's clock can jump.
/* global Deno */
const RealDate = Date;
let shiftMs = 0;

class ShiftedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shiftMs);
    else super(...given);
  }
  static now() {
    return RealDate.now() + shiftMs;
  }
}
globalThis.Date = ShiftedDate;

const signals = { SIGUSR2: 60_000, SIGWINCH: -60_000, SIGHUP: 0 };
for (const [signal, ms] of Object.entries(signals)) {
  Deno.addSignalListener(signal, () => {
    shiftMs = ms;
  });
}
