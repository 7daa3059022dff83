/** Doing something on the server from a button: busy, or failed with cause and next step beside it. */
import type { ComponentChildren } from "preact";
import { useCallback, useState } from "preact/hooks";
import { c } from "../texts/panels-common.ts";
import { Button, type ButtonProps } from "../ui/button.tsx";
import { toProblem, type Problem } from "./api.ts";
import { useOffline } from "./offline.ts";
import { ProblemNote } from "./problem-note.tsx";

export interface Acting {
  readonly busy: boolean;
  readonly problem: Problem | undefined;
  /** Runs it; what it throws is kept and shown by `Outcome`. False: it failed. */
  run(work: () => Promise<unknown>): Promise<boolean>;
  clear(): void;
}

/** The shell has asked for a fresh proof by itself where one was needed. */
export function useAct(): Acting {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const run = useCallback(async (work: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
      return true;
    } catch (error) {
      setProblem(toProblem(error));
      return false;
    } finally {
      setBusy(false);
    }
  }, []);
  return { busy, problem, run, clear: useCallback(() => setProblem(undefined), []) };
}

/** What became of it, where it was asked for: nothing while all is well. */
export function Outcome({ of, hide }: { readonly of: Acting; readonly hide?: readonly string[] }) {
  if (of.problem === undefined || hide?.includes(of.problem.code) === true) return null;
  return <ProblemNote problem={of.problem} onClose={of.clear} />;
}

interface ActProps extends Pick<ButtonProps, "kind" | "icon" | "size" | "label"> {
  readonly acting: Acting;
  readonly work: () => Promise<unknown>;
  readonly children?: ComponentChildren;
  readonly disabled?: boolean;
}

/** A button that does it; not while the gateway is away. */
export function Act({ acting, work, disabled = false, ...rest }: ActProps) {
  const offline = useOffline();
  return (
    <Button
      {...rest}
      disabled={disabled || acting.busy || offline}
      {...(offline && { title: c("offlineShort") })}
      onClick={() => void acting.run(work)}
    />
  );
}
