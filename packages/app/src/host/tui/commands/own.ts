/** `!command` of the person: run here, shown here, told to nobody (decision 0078). */
import { add, draw, say, type Chat } from "../chat-state.ts";
import { runOwn } from "../input/programs.ts";
import { safeText } from "../safe.ts";

export async function own(chat: Chat, command: string): Promise<void> {
  const { texts } = chat.kit;
  if (command === "") return say(chat, "info", texts("own.usage"));
  if (chat.own !== undefined) return say(chat, "error", texts("own.busy"));
  add(chat, { kind: "user", text: `! ${command}` });
  chat.own = new AbortController();
  try {
    const { workspace, env = {} } = chat.app;
    const { output, code } = await runOwn(command, { env, cwd: workspace, signal: chat.own.signal });
    const text = safeText(output).trimEnd();
    if (text !== "") say(chat, "info", text);
    say(
      chat,
      code === 0 || code === null ? "info" : "error",
      texts(code === null ? "own.ended" : "own.done", { code: code ?? 0 }),
    );
  } finally {
    chat.own = undefined;
    draw(chat);
  }
}
