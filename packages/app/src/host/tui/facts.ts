/** What stands around a conversation: told by the process that holds it. */
import type { ChatApp } from "./chat-app.ts";

export interface ChatFacts {
  /** Its name, once it has one. */
  readonly title?: string;
  /** Which of its branches this is, where there are some. */
  readonly branch?: { readonly at: number; readonly of: number };
  /** Questions in other conversations. */
  readonly waits: number;
  /** Spent today, by everybody together. */
  readonly todayUsd?: number;
  /** The budget of a day. */
  readonly dayUsd?: number;
  /** How much the model thinks, where it does. */
  readonly thinking?: string;
}

export const NO_FACTS: ChatFacts = { waits: 0 };

/** @returns undefined where nobody is asked, or nobody answers: the screen does without. */
export async function askFacts({ operate, lost }: ChatApp, key: string): Promise<ChatFacts | undefined> {
  if (operate === undefined || lost?.aborted === true) return undefined;
  try {
    return (await operate("chat.about", { key })) as ChatFacts; // of that operation
  } catch {
    return undefined; // it is an older process, or about to end
  }
}
