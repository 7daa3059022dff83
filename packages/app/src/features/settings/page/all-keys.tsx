/** Every key, folded by its first name. */
import { groupName } from "./texts.ts";
import type { Edits } from "./edits.tsx";
import type { Entry } from "./model.ts";
import { SettingRow } from "./row.tsx";

export function AllKeys({ entries, edits }: { readonly entries: readonly Entry[]; readonly edits: Edits }) {
  const groups = Map.groupBy(entries, ({ names }) => (names.length === 1 ? "general" : (names[0] ?? "general")));
  return (
    <div class="p-folds">
      {[...groups].map(([name, members]) => (
        <details key={name}>
          <summary>
            {groupName(name)} <span class="p-count">{members.length}</span>
          </summary>
          <div class="p-settings">
            {members.map((entry) => (
              <SettingRow key={entry.path} entry={entry} edits={edits} />
            ))}
          </div>
        </details>
      ))}
    </div>
  );
}
