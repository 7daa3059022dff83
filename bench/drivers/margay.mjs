/** Live sessions of margay's bundle over JSON lines: the composition of the binary, without its command line. */
import { createInterface } from "node:readline";
import { enableCompileCache } from "node:module";

enableCompileCache();
const { openApp } = await import("../../packages/app/dist/embed.js");
const { plainHistory } = await import("./driver-kit.mjs");
const app = await openApp();
// As the gateway does, whose sessions these are (packages/app/src/host/run-parts.ts): a process that stays keeps its heap small.
process.getBuiltinModule("node:v8").setFlagsFromString("--semi-space-growth-factor=1");
const reply = (m) => process.stdout.write(`${JSON.stringify(m)}\n`);

const handlers = {
  async turn({ session, prompt }) {
    const cpu = process.cpuUsage();
    const { text } = await app.agent.send(`cli:bench-${session}`, prompt).finished;
    const used = process.cpuUsage(cpu);
    return { chars: text.length, head: text.slice(0, 120), cpuMs: (used.user + used.system) / 1000 };
  },
  async seed({ session, turns }) {
    const opened = await app.agent.sessions.open(`cli:bench-${session}`, { channel: "cli", chat: session });
    const at = Date.now();
    const messages = plainHistory(turns).map(({ role, content }, i) =>
      role === "user"
        ? { role, id: `h${i}`, at, from: { id: "bench", kind: "person" }, parts: [{ type: "text", text: content }] }
        : {
            role,
            at,
            model: { provider: "bench", model: "bench" },
            parts: [{ type: "text", text: content }],
            finish: "stop",
            usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
          },
    );
    await opened.commit({ type: "history.imported", messages, rows: messages.length, consolidated: 0 });
    return {};
  },
  async close() {
    await app[Symbol.asyncDispose]();
    return {};
  },
};

reply({ ready: true });
for await (const line of createInterface({ input: process.stdin })) {
  const m = JSON.parse(line);
  handlers[m.op](m).then(
    (r) => reply({ id: m.id, ...r }),
    (e) => reply({ id: m.id, error: String(e?.stack ?? e).slice(0, 2000) }),
  );
}
