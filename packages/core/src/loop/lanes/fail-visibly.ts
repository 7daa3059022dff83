/** A defect in the runtime ends the turn with an error the person sees; a turn never hangs or loops. */
import type { TurnId } from "../../contract/base.ts";
import type { JournalRecord } from "../../contract/record.ts";
import type { Session } from "../../contract/session.ts";
import { diskError } from "../../lib/errors/disk-error.ts";
import { toErrorInfo } from "../../lib/errors/errors.ts";
import type { LoopDeps } from "../deps.ts";
import { endTurn } from "../endings.ts";
import type { Settlement } from "../step.ts";
import { settle } from "../tool-step.ts";

export async function failVisibly(session: Session, error: unknown, deps: LoopDeps): Promise<void> {
  const info = toErrorInfo(diskError(error, session.state.id) ?? error);
  const { turn, pending } = session.state;
  if (turn === undefined) {
    const first = pending[0];
    if (first === undefined) return;
    const id = deps.ids.next("turn") as TurnId; // minted here
    deps.stopwatch.start(id);
    const opened: JournalRecord = {
      type: "turn.started",
      turn: id,
      replyTo: first.replyTo,
      attended: first.attended,
      message: first.message.id,
    };
    await session.commit(opened);
  }
  const open = (turn?.calls ?? []).filter((item) => item.status !== "finished");
  if (open.length > 0)
    await settle(
      session,
      open.map((item): Settlement => ({
        call: item.call,
        status: item.status === "started" ? "interrupted" : "error",
        text: `Error: ${info.message} Next: tell the user.`,
      })),
      deps,
    );
  await endTurn({ do: "end", reason: "failed", error: info }, session, deps);
}
