/** For work started by a click whose failure belongs in a toast. */
import { problemFrom } from "./problem.tsx";
import { toast } from "./toast.tsx";

/** @returns whether it worked. */
export async function tell(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    const { detail, remedy } = problemFrom(error);
    toast(remedy === undefined ? detail : `${detail} ${remedy}`);
    return false;
  }
}
