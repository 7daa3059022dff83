/** pi, the coding agent: `pi -p` for one prompt, `pi --mode rpc` for a conversation. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LineChild, usage } from "../lib/proc.mjs";

const MODEL = ["--provider", "bench", "--model", "bench"];

export function pi({ name, dir, packages }) {
  const bin = (ctx) => join(ctx.peersDir, dir, "node_modules/.bin/pi");
  return {
    name,
    dir,
    packages,
    kind: "cli",
    multi: false,
    brings: { prompt: true },
    tools: {
      read: { name: "read", args: { path: "README.md" } },
      write: { name: "write", args: { path: "written-{{n}}.txt", content: "one line\n" } },
      command: { name: "bash", args: { command: "sleep 0.2" } },
      wait: { name: "bash", args: { command: "sleep 0.2" } },
    },
    prepare(ctx) {
      const agent = join(ctx.home, ".pi/agent");
      mkdirSync(agent, { recursive: true });
      const bench = {
        baseUrl: `${ctx.mockUrl}/v1`,
        api: "openai-completions",
        apiKey: "bench-key",
        models: [{ id: "bench", contextWindow: 2_000_000, maxTokens: 8192 }],
      };
      writeFileSync(join(agent, "models.json"), JSON.stringify({ providers: { bench } }));
    },
    oneShot: (ctx, prompt, { session } = {}) => ({
      cmd: bin(ctx),
      args: ["-p", ...MODEL, ...(session ? ["--session", session] : []), prompt],
      env: ctx.env,
      cwd: ctx.workspace,
    }),
    async serve(ctx) {
      const place = { cmd: bin(ctx), args: ["--mode", "rpc", ...MODEL], env: ctx.env, cwd: ctx.workspace };
      const child = new LineChild(place, { skip: /"type":"message_update"/ });
      let n = 0;
      const ask = async (message) => {
        const id = `${message.type}-${++n}`;
        const answer = child.wait((m) => m.type === "response" && m.id === id);
        child.send({ id, ...message });
        const m = await answer;
        if (!m.success) throw new Error(m.error);
        return m.data;
      };
      await ask({ type: "get_state" });
      let current;
      const ids = new Map();
      return {
        usage: () => usage(child.pid),
        async turn(id, message) {
          if (current !== undefined && current !== id) await ask({ type: "new_session" });
          current = id;
          const done = child.wait((m) => m.type === "agent_end");
          await ask({ type: "prompt", message });
          await done;
          const state = await ask({ type: "get_state" });
          ids.set(id, state.sessionFile ?? state.sessionId);
          return {};
        },
        sessionId: async (id) => ids.get(id),
        close: () => child.stop(),
      };
    },
  };
}
