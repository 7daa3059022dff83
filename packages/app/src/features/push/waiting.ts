/** What waits for a person, each by a name of its own, and the page that shows it. Never what was said. */
import type { Summary } from "@margay/core/internal";
import { OWNER } from "../../host/people.ts";
import type { Services } from "../../host/api/services.ts";
import { eventsOf } from "../../host/sessions/access.ts";
import { personsOf } from "../../host/sessions/privacy.ts";
import type { Reader } from "./store.ts";

export interface Thing {
  /** The same as long as it waits. */
  readonly id: string;
  /** Of our own pages. */
  readonly to: string;
}

/** What to open first stands first: a question runs out, a result stays. */
export async function waitingFor(services: Services, person: string, { done }: Reader): Promise<readonly Thing[]> {
  const { index, marks } = eventsOf(services);
  const all = (await index.all()).filter(({ id }) => marks.of(id).trashedAt === undefined);
  const ids = new Set<string>(all.map(({ id }) => id));
  return [
    ...all.toSorted((a, b) => a.updatedAt - b.updatedAt).flatMap((summary) => questionsOf(summary, person)),
    ...(person === OWNER ? notices(services) : []),
    ...done
      .filter(({ session }) => ids.has(session))
      .map(({ session, seq }) => ({ id: `done ${session} ${seq}`, to: `/s/${session}` })),
  ];
}

/** What a person may answer is theirs alone; the owner answers all but what another lets go of their own. */
function questionsOf(summary: Summary, person: string): readonly Thing[] {
  const { id, asked, releases = [], sole } = summary;
  if (person !== OWNER && sole !== person) return [];
  const isAnothers = person === OWNER && personsOf(summary).length > 0;
  return [...asked].flatMap((call) => {
    if (isAnothers && releases.includes(call)) return [];
    return { id: `call ${id} ${call}`, to: person === OWNER ? `/?p=approvals/${id}/${call}` : `/s/${id}` };
  });
}

/** A question that no chat got waits as a question already. */
function notices({ app }: Services): readonly Thing[] {
  return app.inside.notifications
    .list()
    .filter(({ seen, kind }) => !seen && kind !== "question")
    .map(({ id }) => ({ id: `note ${id}`, to: "/?p=notifications" }));
}

/** Whose conversation it is: who is told that a turn of it ended. */
export function whoseIs(summary: Summary): string {
  return summary.sole ?? OWNER;
}
