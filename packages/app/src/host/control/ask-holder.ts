/** What a command asks of the process that holds the lock, and how that one answers: everything is JSON on the way. */
import { randomUUID } from "node:crypto";
import { RuntimeError, type ErrorCode, type Json } from "@margay/core";
import { lockOwner, messageOf, type Millis } from "@margay/core/internal";
import type { App } from "../../app.ts";
import type { Cli } from "../cli/command.ts";
import { askMailbox, type MailRequest } from "./mailbox.ts";

/** In place of an answer. */
export type AnswerError = { readonly error: { readonly code: string; readonly message: string } };

/**
 * @param pid Whose answer it is.
 * @throws RuntimeError `state.locked` when it does not answer in time.
 */
export async function askHolder(
  { places, signal, t }: Pick<Cli, "places" | "signal" | "t">,
  pid: number,
  mail: MailRequest,
  patienceMs: Millis,
): Promise<Json> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  const answer = await askMailbox(places.control, randomUUID(), mail, patience);
  if (answer === undefined)
    throw new RuntimeError("state.locked", t("error.busy", { pid, log: places.log }), { retryable: true });
  return answer;
}

/**
 * Of the process that holds the lock when there is one, else by this one.
 * @param mine Done before what it needs is closed again.
 * @returns what `mine` returns: the other process is of the same version, and does the same.
 */
export async function performAtHolder<Answer>(
  cli: Cli,
  mail: MailRequest,
  patienceMs: Millis,
  mine: (app: App) => Promise<Answer>,
): Promise<Answer> {
  const pid = lockOwner(cli.places.home);
  // Made of JSON on the way.
  if (pid !== undefined)
    return (await askHolder(cli, pid, JSON.parse(JSON.stringify(mail)) as MailRequest, patienceMs)) as Answer;
  await using app = await cli.compose();
  return await mine(app);
}

/** @throws the error that the other process answered with. */
export function failureIn(answer: object): never {
  const { code, message } = "error" in answer ? (answer as AnswerError).error : { code: "internal.bug", message: "" };
  throw new RuntimeError(code as ErrorCode, message); // as `answering` wrote it
}

/** For another process: nothing throws on the way. @param work What it answers is made of JSON. */
export async function answering(work: () => Promise<unknown>): Promise<Json> {
  try {
    return JSON.parse(JSON.stringify(await work())) as Json;
  } catch (error) {
    return { error: { code: error instanceof RuntimeError ? error.code : "internal.bug", message: messageOf(error) } };
  }
}
