import { ellipsis } from "./text.ts";

const TASK_CHARS = 60;

/** A label is often the beginning of its task: said once then. */
export function childName(label: string, task: string): string {
  const short = ellipsis(task.replaceAll(/\s+/g, " ").trim(), TASK_CHARS);
  return short === "" || short === label ? label : task.startsWith(label) ? short : `${label} (${short})`;
}
