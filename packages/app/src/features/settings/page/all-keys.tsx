/** Every key, folded by its first name. */
import { groupName } from "./texts.ts";
import { SettingRow } from "./row.tsx";
import type { Saving } from "./saving.ts";

export function AllKeys({ saving, details }: { readonly saving: Saving; readonly details: boolean }) {
  const groups = Map.groupBy(saving.entries, ({ names }) => (names.length === 1 ? "general" : (names[0] ?? "general")));
  return (
    <div class="p-folds">
      {[...groups].map(([name, members]) => (
        <details key={name}>
          <summary>
            {groupName(name)} <span class="p-count">{members.length}</span>
          </summary>
          <div class="set-rows">
            {members.map((entry) => (
              <SettingRow key={entry.path} entry={entry} saving={saving} details={details} />
            ))}
          </div>
        </details>
      ))}
    </div>
  );
}
