/** `margay` in a terminal: the interactive chat over a composed app, and what happens without a message meanwhile. */
import type { App } from "./app.ts";
import { runParts } from "./run.ts";
import { runChat } from "./tui/chat.ts";

/** @returns the exit code. */
export async function startChat(
  app: App,
  sessionKey: string,
  options: { readonly color: boolean; readonly signal: AbortSignal },
): Promise<number> {
  const { agent, terminal, practice, language, loaded, schedule } = app;
  const model = `${agent.model.provider}/${agent.model.model}`;
  const left = new AbortController();
  const parts = runParts(schedule.parts, app, AbortSignal.any([left.signal, options.signal]));
  try {
    return await runChat(
      { agent, terminal, model, practice, language, workspace: loaded.workspace, sessionKey },
      options,
    );
  } finally {
    left.abort(new Error("the chat was left"));
    await parts;
  }
}
