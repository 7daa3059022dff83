// docs/troubleshooting.md: from what somebody sees to what to do, out of the table of errors and the checks of the doctor.
import { cell, code, table } from "./table.mjs";

/** @param errors code → text in the page's language. @param checks names of the doctor's. */
export function troubleshootingPage({ errors, checks, words }) {
  const groups = Object.groupBy(Object.entries(errors), ([name]) => symptomOf(name, words));
  const sections = Object.entries(words.symptoms).map(([symptom, { title, first }]) => {
    const rows = (groups[symptom] ?? []).map(([name, text]) => [
      `[${code(name)}](${words.errorsPage}#${name})`,
      cell(text),
    ]);
    return `## ${title}\n\n${first}\n\n${table([words.code, words.meaning], rows)}\n`;
  });
  const looked = checks.map((name) => [code(name), cell(words.checks[name] ?? missing(`the check ${name}`))]);
  return `${words.intro}
## ${words.doctor}

${words.aboutDoctor}

${table([words.check, words.looksAt], looked)}

${sections.join("\n")}`;
}

function symptomOf(name, { symptoms }) {
  const [group] = name.split(".");
  const found = Object.entries(symptoms).find(([, { groups }]) => groups.includes(group));
  return found?.[0] ?? missing(`errors of ${group}`);
}

function missing(what) {
  throw new Error(`scripts/lib/reference has no words for ${what}.`);
}
