/** A picture of how figures follow a size: one line each, the size on a logarithmic scale, from zero. */

const WIDTH = 360;
const HEIGHT = 220;
const PLACE = { left: 44, right: 12, top: 34, bottom: 40 };
/** Told apart without colour too: the second is dashed. */
const LINES = [
  { color: "#0b6b61", dash: "" },
  { color: "#b4541a", dash: "5 3" },
];

/** @param table figures by size. @returns an SVG. */
export function curves(title, table) {
  const sizes = [...table.keys()];
  const names = Object.keys(table.get(sizes[0]));
  const most = nice(Math.max(...[...table.values()].flatMap((figures) => Object.values(figures))));
  const [from, to] = [Math.log10(sizes[0]), Math.log10(sizes.at(-1))];
  const x = (size) => PLACE.left + ((Math.log10(size) - from) / (to - from)) * (WIDTH - PLACE.left - PLACE.right);
  const y = (value) => HEIGHT - PLACE.bottom - (value / most) * (HEIGHT - PLACE.top - PLACE.bottom);
  const at = (value) => Math.round(value * 10) / 10;
  const marks = [0, most / 2, most].map(
    (value) =>
      `<path d="M${PLACE.left} ${at(y(value))}H${WIDTH - PLACE.right}" stroke="#ddd"/><text x="${PLACE.left - 6}" y="${at(y(value) + 4)}" text-anchor="end">${value}</text>`,
  );
  const ticks = sizes
    .filter((size, index) => index === 0 || x(size) - x(sizes[index - 1]) > 26)
    .map(
      (size) => `<text x="${at(x(size))}" y="${HEIGHT - PLACE.bottom + 16}" text-anchor="middle">${short(size)}</text>`,
    );
  const drawn = names.map((name, index) => {
    const { color, dash } = LINES[index];
    const points = sizes.map((size) => `${at(x(size))},${at(y(table.get(size)[name]))}`);
    const dots = points.map((point) => `<circle cx="${point.replace(",", '" cy="')}" r="2.5" fill="${color}"/>`);
    const legend = `<text x="${PLACE.left + index * 150}" y="${HEIGHT - 6}" fill="${color}">${dash === "" ? "—" : "- -"} ${name}</text>`;
    return `<polyline points="${points.join(" ")}" fill="none" stroke="${color}" stroke-width="1.6"${dash === "" ? "" : ` stroke-dasharray="${dash}"`}/>${dots.join("")}${legend}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="system-ui, sans-serif" font-size="11" fill="#333"><rect width="100%" height="100%" fill="#fff"/><text x="${PLACE.left}" y="20" font-size="13" font-weight="600">${title}</text>${marks.join("")}${ticks.join("")}${drawn.join("")}</svg>\n`;
}

/** The next of 1, 2, 4, 5, 8 and their tens above it. */
function nice(value) {
  const ten = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 5, 8, 10].map((step) => step * ten).find((step) => step >= value) ?? 10 * ten;
}

function short(size) {
  return size >= 1000 ? `${size / 1000}k` : String(size);
}
