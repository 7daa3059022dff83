/** margay: the published binary for one prompt, a driver over the bundle's own composition for live sessions. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { LineChild, usage } from "../lib/proc.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const bin = join(root, "packages/app/bin/margay.js");
const driver = join(root, "bench/drivers/margay.mjs");

export function margay() {
  const homeOf = (ctx) => join(ctx.home, "state");
  const env = (ctx) => ({ ...ctx.env, MARGAY_HOME: homeOf(ctx) });
  return {
    name: "margay",
    dir: "margay",
    kind: "cli",
    multi: true,
    brings: { prompt: true },
    tools: {
      read: { name: "read_file", args: { path: "README.md" } },
      write: { name: "write_file", args: { path: "written-{{n}}.txt", content: "one line\n" } },
      command: { name: "exec", args: { command: "sleep 0.2" } },
      wait: { name: "exec", args: { command: "sleep 0.2" } },
    },
    /**
     * The defaults a user gets. `memoryWindow`: for a measure whose subject is a history that nothing shortens. `sandbox`: for
     * what it costs.
     */
    prepare(ctx, { memoryWindow, sandbox } = {}) {
      mkdirSync(homeOf(ctx), { recursive: true });
      const config = {
        workspace: ctx.workspace,
        model: "bench/bench",
        providers: { bench: { api: "openai-chat", baseUrl: `${ctx.mockUrl}/v1`, apiKey: "bench-key" } },
        models: { "bench/bench": { contextWindow: 2_000_000 } },
        ...(memoryWindow !== undefined && { agent: { memoryWindow } }),
        ...(sandbox !== undefined && { tools: { exec: { sandbox } } }),
        policy: { rules: [{ tool: "exec", action: "allow" }] },
        channels: { bench: { allowFrom: ["user"] } }, // the driver speaks as a channel, whose senders are admitted by name
      };
      writeFileSync(join(homeOf(ctx), "config.json"), JSON.stringify(config, null, 2), { mode: 0o600 });
    },
    oneShot: (ctx, prompt, { session } = {}) => ({
      cmd: ctx.node,
      args: [bin, "agent", ...(session ? ["--session", session] : []), "-m", prompt],
      env: env(ctx),
      cwd: ctx.workspace,
    }),
    async serve(ctx) {
      const child = new LineChild({ cmd: ctx.node, args: [driver], env: env(ctx), cwd: ctx.workspace });
      await child.wait((m) => m.ready);
      let n = 0;
      const ask = async (message) => {
        const id = ++n;
        const answer = child.wait((m) => m.id === id);
        child.send({ id, ...message });
        const m = await answer;
        if (m.error) throw new Error(m.error);
        return m;
      };
      return {
        usage: () => usage(child.pid),
        turn: (session, prompt) => ask({ op: "turn", session, prompt }),
        seed: (session, turns) => ask({ op: "seed", session, turns }),
        sessionId: async (session) => `bench:${session}`,
        close: async () => {
          await ask({ op: "close" });
          await child.stop();
        },
      };
    },
  };
}
