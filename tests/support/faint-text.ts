/** A script for a browser: the texts of a page whose colour is too close to what is behind them. */
export const FAINT_TEXT = `(() => {
  const parse = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => { const c = v / 255; return c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; })
    .reduce((sum, c, at) => sum + c * [.2126, .7152, .0722][at], 0);
  const behind = (element) => {
    for (let up = element; up; up = up.parentElement) {
      const color = parse(getComputedStyle(up).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const seen = [...document.querySelectorAll("body *")].filter((element) =>
    !["SCRIPT", "STYLE"].includes(element.tagName) && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
  const faint = seen.filter((element) => {
    const [one, other] = [light(parse(getComputedStyle(element).color)), light(behind(element))].sort((a, b) => b - a);
    return (one + .05) / (other + .05) < 4.5;
  });
  return { seen: seen.length, faint: [...new Set(faint.map(({ tagName, className }) => tagName + "." + className))] };
})()`;
