// `node --conditions=margay-source packages/core/src/testing/mock-llm/main.ts --port N`: the mock model as a program.

import { parseArgs } from "node:util";

import { startMockModel } from "./mock-model.ts";

const { values } = parseArgs({
  options: { port: { type: "string", default: "0" }, rules: { type: "string", default: "strict" } },
});
const mock = await startMockModel({ port: Number(values.port), rules: values.rules === "off" ? "off" : "strict" });
process.stdout.write(`${JSON.stringify({ port: mock.port, url: mock.url })}\n`);

const stop = (): void => {
  mock.close().then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
};
process.once("SIGTERM", stop).once("SIGINT", stop);
