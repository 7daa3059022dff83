/** Whose jobs a caller has: a person beside the owner their own, which answer in their own chats. */
import { MAX_JOBS_OF_PERSON, type JobRequest, type JobView } from "@margay/core/internal";
import { addressText } from "@margay/core/internal/state";
import { Problem } from "../../host/api/problem.ts";
import { words } from "../../host/api/words.ts";
import { eventsOf, personOf, type Caller } from "../../host/sessions/access.ts";
import { isTheirs } from "../../host/sessions/privacy.ts";
import { TEXT } from "./api-texts.ts";

type Asking = Caller & { readonly language: "en" | "zh-CN" };

/** Nobody else's are there for a person. */
export async function jobsFor(caller: Caller): Promise<readonly JobView[]> {
  const person = personOf(caller);
  const all = (await caller.services.app.schedule.cron?.list()) ?? [];
  return person === undefined ? all : all.filter(({ by }) => by === person);
}

/**
 * What a caller asks for, as theirs.
 * @param before The job that it changes: what it was made of goes on with it.
 * @throws Problem `cron.invalid`: there are too many, or it would answer where others read.
 */
export async function askedFor(caller: Asking, request: JobRequest, before?: JobView): Promise<JobRequest> {
  const person = personOf(caller);
  if (person === undefined) return request;
  if (before === undefined && (await jobsFor(caller)).length >= MAX_JOBS_OF_PERSON)
    throw new Problem("cron.invalid", words(caller.language, TEXT.enoughJobs, { count: MAX_JOBS_OF_PERSON }));
  const to = addressText(request.to);
  const isKept = before !== undefined && addressText(before.to) === to;
  if (!isKept && !(await chatsOf(caller)).has(to)) {
    const message = words(caller.language, TEXT.notYourChat);
    throw new Problem("cron.invalid", {
      detail: message,
      errors: [{ path: "/target", code: "cron.invalid", message }],
    });
  }
  return { ...request, by: person, ...(before?.marks !== undefined && { marks: before.marks }) };
}

async function chatsOf(caller: Caller): Promise<ReadonlySet<string>> {
  const all = await eventsOf(caller.services).index.all();
  return new Set(all.filter((one) => isTheirs(caller, one)).map(({ origin }) => addressText(origin)));
}
