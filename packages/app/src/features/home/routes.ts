/** What a new chat begins with, gathered at once: no model is asked, and the doctor looks behind it, not in front of it. */
import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import type { Millis } from "@margay/core/internal";
import { route, type Call, type Route } from "../../host/api/route.ts";
import { createOutboxIndex } from "../../host/live/outbox-index.ts";
import { spentToday } from "../../host/live/spent-today.ts";
import { eventsOf } from "../../host/sessions/access.ts";
import { titleOf } from "../../host/sessions/marks.ts";
import { isHidden } from "../../host/sessions/privacy.ts";
import type { Check } from "../system/schema.ts";
import { HealthSchema, HomeQuery, HomeSchema, type Home } from "./schema.ts";

type Asked = Pick<Call<unknown, unknown>, "services" | "language" | "t" | "signal" | "credential">;
/** What the doctor finds, without asking the model. */
export type Look = (call: Asked) => Promise<readonly Check[]>;

const DAY_MS = 86_400_000;
/** So old a look of the doctor is done anew. */
const LOOK_EVERY_MS = 15 * 60_000;
const NAMES = 3;
const NAME_CHARS = 80;

/** @param look Called behind the answer, at most every 15 minutes. */
export function homeRoutes(look: Look): readonly Route[] {
  return [
    route({
      id: "getHome",
      method: "GET",
      path: "/home",
      scope: "read",
      summary: "What waits, what ran since, what is due next, what today cost, whether all is well; asks no model.",
      query: HomeQuery,
      response: HomeSchema,
      handle: async (call) => {
        const now = call.services.app.clock.now();
        const [waits, jobs, spent, workspace, skill, isEmpty] = await Promise.all([
          read(() => waitsOf(call)),
          read(() => jobsOf(call, call.query.since ?? now - DAY_MS)),
          read(() => spentOf(call)),
          read(() => workspaceOf(call)),
          read(() => skillOf(call)),
          eventsOf(call.services)
            .index.all()
            .then((all) => all.length === 0),
        ]);
        const { seen, looking } = healthOf(call, look, now);
        const health = looking === undefined ? (seen ?? null) : "looking";
        return {
          body: {
            isNew: isEmpty && jobs?.all === 0,
            waits,
            ran: jobs?.ran ?? null,
            ...(jobs === null ? { next: null } : jobs.next !== undefined && { next: jobs.next }),
            spent,
            ...(health !== "looking" && { health }),
            workspace,
            ...(skill !== undefined && { skill }),
          } satisfies Home,
        };
      },
    }),
    route({
      id: "getHomeHealth",
      method: "GET",
      path: "/home/health",
      scope: "read",
      summary: "What the doctor finds for this visit: answered when it has looked.",
      response: HealthSchema,
      handle: async (call) => {
        const { seen, looking } = healthOf(call, look, call.services.app.clock.now());
        return { body: { health: (await looking) ?? seen ?? null } };
      },
    }),
  ];
}

/** What cannot be read now is missing, and nothing else. */
async function read<Part>(part: () => Promise<Part>): Promise<Part | null> {
  try {
    return await part();
  } catch {
    return null; // the page says so in its place; reading the same on its own page says why
  }
}

async function waitsOf(call: Asked): Promise<Home["waits"]> {
  const { index, marks } = eventsOf(call.services);
  const asking = (await index.all())
    .filter(({ asked }) => asked.size > 0)
    .toSorted((a, b) => a.updatedAt - b.updatedAt);
  const lost = (await call.services.once(createOutboxIndex).list()).filter(({ state }) => state === "failed");
  return {
    questions: asking.reduce((sum, { asked }) => sum + asked.size, 0),
    asking: asking.slice(0, NAMES).map((each) => ({
      session: each.id,
      title: isHidden(call, each) ? "" : titleOf(marks.of(each.id), each),
    })),
    deliveries: lost.length,
    channels: [...new Set(lost.map(({ to }) => to.channel))].slice(0, NAMES),
  };
}

interface Jobs {
  readonly all: number;
  readonly ran: Home["ran"];
  readonly next: Home["next"];
}

/** The last run of each job, of one-time jobs too that are gone with it, and the first that is due. What a person has done for them is theirs. */
async function jobsOf({ services }: Asked, since: Millis): Promise<Jobs> {
  const { index } = eventsOf(services);
  const all = (await services.app.schedule.cron?.list(true)) ?? [];
  const own = all.filter(({ by }) => by === undefined || services.app.inside.loaded().config.people[by] === undefined);
  const nameOf = ({ name, message }: { readonly name?: string; readonly message: string }): string =>
    (name ?? message.trim().split("\n")[0] ?? "").slice(0, NAME_CHARS);
  const ran = own.flatMap((job) => {
    const { last } = job;
    if (last === undefined || last.startedAt + last.durationMs < since) return [];
    return [
      {
        job: job.id,
        name: nameOf(job),
        at: last.startedAt,
        ok: last.status === "ok" || last.status === "silent",
        ...(job.trigger.kind === "at" && job.nextAt === undefined && { ended: true as const }),
      },
    ];
  });
  // What failed first: where there is room for few, it is not left out.
  const first = ran.toSorted((a, b) => Number(a.ok) - Number(b.ok) || b.at - a.at).slice(0, NAMES);
  const items = await Promise.all(
    first.map(async (one) => {
      const session = (await index.byKey(`cron:${one.job}`))?.id; // where a job works that is not in the schedule any more
      return { ...one, ...(session !== undefined && { session }) };
    }),
  );
  const due = own.flatMap((job) =>
    job.nextAt === undefined || !job.enabled ? [] : [{ job: job.id, name: nameOf(job), at: job.nextAt }],
  );
  return { all: all.length, ran: { since, total: ran.length, items }, next: due.toSorted((a, b) => a.at - b.at)[0] };
}

async function spentOf({ services }: Asked): Promise<Home["spent"]> {
  const { costUsd, input, output, dayUsd } = await spentToday(services);
  return { costUsd, tokens: input + output, ...(dayUsd !== undefined && { dayUsd }) };
}

async function workspaceOf({ services }: Asked): Promise<Home["workspace"]> {
  const { workspace } = services.app.inside.loaded();
  const names = await readdir(workspace);
  return { name: basename(workspace), entries: names.filter((name) => !name.startsWith(".")).length };
}

/** One of the workspace before those that every margay has. */
async function skillOf({ services, signal }: Asked): Promise<Home["skill"]> {
  const ready = (await services.app.inside.skills.all(signal)).filter(({ status }) => status === "ready");
  const found = ready.find(({ from }) => from === "workspace") ?? ready[0];
  if (found === undefined) return undefined;
  return { name: found.name, description: (found.head?.description ?? "").slice(0, 2 * NAME_CHARS) };
}

type Found = NonNullable<Home["health"]>;
interface Looked {
  /** What was found last; null: the doctor could not look. */
  seen: Found | null | undefined;
  /** Under way. */
  looking: Promise<Found | null> | undefined;
}

/** For `services.once`. */
function lastLook(): Looked {
  return { seen: undefined, looking: undefined };
}

/** What was found last; when that is old a new look begins, and nobody takes the old one for today's. */
function healthOf(call: Asked, look: Look, now: Millis): Readonly<Looked> {
  const { services } = call;
  const last = services.once(lastLook);
  const isOld = last.seen === undefined || last.seen === null || now - last.seen.at > LOOK_EVERY_MS;
  if (isOld && last.looking === undefined)
    last.looking = look({ ...call, signal: services.closing })
      .then(
        (checks): Found => {
          const count = (state: Check["state"]): number => checks.filter((check) => check.state === state).length;
          return { at: now, total: checks.length, failing: count("fail"), warnings: count("warn") };
        },
        () => null,
      )
      .then((found) => {
        last.seen = found;
        last.looking = undefined;
        return found;
      });
  return { ...last };
}
