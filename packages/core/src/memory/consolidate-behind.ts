/** Beside the lane: rows of cleared contexts, and those that are due while a turn runs. */
import type { Archived, Session } from "../contract/session.ts";
import { cutByRows, measure } from "./cut.ts";
import { apply, ask, type Answered, type MemoryDeps, type Stretch } from "./consolidation.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { fitsTarget, isDue } from "../context/due.ts";
import { LONG } from "../session/kept-rows.ts";
import { hasRows } from "../session/has-rows.ts";

/** @param force Whether rows are consolidated that are not due yet (`/compact`). */
export async function consolidateBehind(
  session: Session,
  deps: LoopDeps,
  force: boolean,
  signal: AbortSignal,
): Promise<void> {
  await writeAnswer(session, deps, signal);
  for (let item = session.state.archive[0]; item !== undefined; item = session.state.archive[0]) {
    const memory = deps.memoryOf(item.audience);
    if (memory === undefined) return; // none is kept any more
    await archive(item, session, { ...deps, memory }, signal);
  }
  if (!keepsMemory(deps)) return;
  const { state } = session;
  if (state.answered !== undefined || !(force ? hasRows(session) : deps.behind && isDue(state, deps.settings))) return;
  const measured = await measure(state.messages, deps.settings, deps.counter, deps.pause);
  const { gone, rows } = cutByRows(state, deps.settings, measured, fitsTarget(state, deps));
  if (state.messages.length > LONG) await deps.pause();
  if (gone.length === 0) return;
  await ask({ messages: gone, epoch: state.epoch, gone: gone.length, rows }, session, deps, signal);
  await writeAnswer(session, deps, signal);
}

/** An answer about the head of a context that is not in the files yet, from just now or from before a crash. */
export async function writeAnswer(session: Session, now: LoopDeps, signal: AbortSignal): Promise<void> {
  const { answered, messages, epoch } = session.state;
  if (answered === undefined || answered.written === true || answered.turn !== undefined) return;
  const memory = now.memoryOf(answered.audience);
  if (memory === undefined) return;
  const deps: MemoryDeps = { ...now, memory };
  const { gone, rows } = answered;
  // Rows of a context that was cleared meanwhile are not asked about again.
  const again =
    answered.epoch !== epoch || gone === undefined
      ? () => Promise.resolve(undefined)
      : (before: Answered) =>
          ask({ messages: messages.slice(0, gone), epoch, gone, rows }, session, deps, signal, before);
  await apply(answered, deps, again);
  await session.commit({ type: "memory.written", epoch: answered.epoch });
}

async function archive(item: Archived, session: Session, deps: MemoryDeps, signal: AbortSignal): Promise<void> {
  const stretch: Stretch = { messages: item.messages, epoch: item.cleared, rows: 0 };
  const once = (before?: Answered): Promise<Answered> => ask(stretch, session, deps, signal, before);
  await apply(item.answered ?? (await once()), deps, once);
  await session.commit({ type: "memory.archived", cleared: item.cleared });
}

export function keepsMemory(deps: LoopDeps): deps is MemoryDeps {
  return deps.memory !== undefined;
}
