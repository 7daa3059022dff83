/** `margay` in a terminal: the interactive chat over a composed app. */
import type { App } from "./app.ts";
import { runChat } from "./tui/chat.ts";

/** @returns the exit code. */
export function startChat(
  app: App,
  sessionKey: string,
  options: { readonly color: boolean; readonly signal: AbortSignal },
): Promise<number> {
  const { agent, terminal, practice, language, loaded } = app;
  const model = `${agent.model.provider}/${agent.model.model}`;
  return runChat({ agent, terminal, model, practice, language, workspace: loaded.workspace, sessionKey }, options);
}
