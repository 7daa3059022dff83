// Sessions and jobs: a session that was used here is left alone, a job that cannot run is named with the reason.
import { type JsonObject } from "@margay/core";
import { allOf, jobFrom, messageOf } from "@margay/core/internal";
import type { Source, SourceJob } from "./source.ts";
import type { PlannedSession, Step } from "./step.ts";
import type { Target, TargetSession } from "./target.ts";

export async function planSessions(source: Source, target: Target): Promise<readonly Step<PlannedSession>[]> {
  const taken = new Set<string>();
  const steps: Step<PlannedSession>[] = [];
  for (const session of source.sessions) {
    const item = { area: "session", from: session.from, to: session.key } as const;
    const here = target.sessions.get(session.key);
    if (taken.has(session.key)) {
      steps.push({ item: { ...item, status: "conflict", reason: { key: "import.why.twice" } } });
      continue;
    }
    taken.add(session.key);
    try {
      if (here === undefined || !(await here.isUsed())) {
        const { rows, warnings } = session.imported;
        const reason = { key: "import.why.rows", values: { rows, repaired: warnings.length } } as const;
        const notes = warnings.length > 0 && { notes: warnings };
        const work = { ...session, ...(here !== undefined && { id: here.id }) };
        steps.push({ item: { ...item, status: "add", reason, ...notes }, work });
      } else if (await holds(here, session.imported.transcript)) {
        steps.push({ item: { ...item, status: "same" } });
      } else steps.push({ item: { ...item, status: "conflict", reason: { key: "import.why.sessionThere" } } });
    } catch (error) {
      // The journal here is damaged: that is this session's affair, the rest is taken over.
      const reason = { key: "import.why.unreadable", values: { why: messageOf(error) } } as const;
      steps.push({ item: { ...item, status: "conflict", reason } });
    }
  }
  return steps;
}

/** It was imported before, whatever was said since. */
async function holds(session: TargetSession, transcript: readonly JsonObject[]): Promise<boolean> {
  const wanted = JSON.stringify(transcript);
  for await (const { records } of session.commits())
    if (allOf(records, "history.imported").some(({ transcript: known }) => JSON.stringify(known) === wanted))
      return true;
  return false;
}

export function planJobs(source: Source, target: Target): readonly Step<SourceJob>[] {
  const { timeZone, cron, calendar, now } = target;
  return source.jobs.map((job) => {
    const { request } = job;
    const item = { area: "job", from: job.from, to: request.id } as const;
    if (target.jobs.has(request.id)) return { item: { ...item, status: "same" } };
    if (!cron.enabled) return { item: { ...item, status: "skip", reason: { key: "import.why.cronOff" } } };
    try {
      jobFrom(request, request.id, { now, timeZone, misfire: cron.misfire, calendar });
    } catch (error) {
      const reason = { key: "import.why.job", values: { why: messageOf(error) } } as const;
      return { item: { ...item, status: "skip", reason } };
    }
    if (request.enabled === false)
      return { item: { ...item, status: "add", reason: { key: "import.why.off" } }, work: job };
    const { channel } = request.to;
    if (target.isTarget(channel)) return { item: { ...item, status: "add" }, work: job };
    // Its answers would be paid for and go nowhere: it waits, and nothing of it is lost.
    const reason = { key: "import.why.held", values: { channel } } as const;
    return { item: { ...item, status: "add", reason }, work: { ...job, request: { ...request, enabled: false } } };
  });
}
