// A process that has no descriptors left, or a few, starts a command with each number of them. argv: a directory.
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/machine/system/clock.ts";
import { startCommand } from "../../src/machine/process/supervisor.ts";

const [directory = ""] = process.argv.slice(2);
const clock = systemClock();
const taken: number[] = [];
const take = (): void => {
  try {
    for (;;) taken.push(openSync("/dev/null", "r"));
  } catch {
    // none is left
  }
};
const started: boolean[] = [];
for (let free = 0; free < 16; free++) {
  take();
  for (const fd of taken.splice(0, free)) closeSync(fd);
  const spec = {
    argv: ["/bin/true"] as const,
    directory: "/",
    environment: {},
    deadline: clock.now() + 60_000,
    notes: {},
  };
  try {
    const command = await startCommand(join(directory, "calls", String(free)), spec, clock);
    await command.ended;
    started.push(true);
  } catch {
    started.push(false);
  }
}
for (const fd of taken) closeSync(fd);
process.stdout.write(JSON.stringify(started));
