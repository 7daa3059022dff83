// One process of the bundle: takes the one message of the kill matrix, approves what is asked, prints the replies.
// Arguments: state directory, URL of the mock model, workspace.
import { watch } from "node:fs";
import { openApp } from "../../dist/embed.js";

const [home, url, workspace] = process.argv.slice(2);
watch(workspace, (_, name) => name === "kill-me" && process.kill(process.pid, "SIGKILL")).unref();
const app = await openApp({
  home,
  config: {
    workspace,
    model: "mock/m",
    providers: { mock: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: "test-key" } },
    policy: { rules: [{ tool: "exec", action: "allow" }] },
  },
});
const { agent, terminal } = app;
const origin = { channel: "cli", chat: "matrix" };
const person = { id: "ann", kind: "person" };
terminal.attach((message) => {
  if (message.kind === "reply" || message.kind === "error")
    process.stdout.write(
      `${JSON.stringify({ reply: message.reply, kind: message.kind, text: message.parts[0]?.text })}\n`,
    );
});

const session = await agent.sessions.open("cli:matrix", origin);
const allow = (call) => agent.control("cli:matrix", { type: "allow", call }, person);
const ended = new Promise((resolve) => {
  session.subscribe((event) => {
    if (event.type === "call.judged" && event.verdict === "ask") void allow(event.call);
    if (event.type === "reply.delivered" && session.state.turn === undefined && session.state.outbox.length === 0)
      resolve();
  });
});
await agent.resume();
for (const item of session.state.turn?.calls ?? []) if (item.status === "asked") await allow(item.call.callId);
const accepted = await agent.bus.accept({
  key: "1",
  origin,
  from: person,
  parts: [{ type: "text", text: "do all of it" }],
  attended: true,
});
const rests =
  session.state.turn === undefined && session.state.pending.length === 0 && session.state.outbox.length === 0;
if (accepted.status === "accepted" || !rests) await ended;
await app[Symbol.asyncDispose]();
