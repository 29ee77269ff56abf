import { describe, expect, it } from "vitest";

import { builtInFormat, formatGeneral, readNumberFormat } from "../../src/readers/sheets/number-format.ts";

describe("readNumberFormat", () => {
  it.each([
    ["General", 0.1 + 0.2, "0.3"],
    ["General", 1e21, "1e+21"],
    ["0.00%", 0.1234, "12.34%"],
    ["0%", 0.5, "50%"],
    ["#,##0.00", 1_234_567.891, "1,234,567.89"],
    ["#,##0", -1234, "-1,234"],
    ["0.##", 5, "5"],
    ["#.##", 0.5, ".5"],
    ["00000", 123, "00123"],
    ["0.0", -0.01, "0.0"],
    ["[$€-407] #,##0.00", 12.5, "€ 12.50"],
    ['"$"#,##0_);[Red]("$"#,##0)', -1234, "($1,234)"],
    ['#,##0.00\\ "€"', 1234.5, "1,234.50 €"],
    ['#,##0,"k"', 123_456, "123k"],
    ['0" m; long"', 5, "5 m; long"],
    // What is not read is shown as the number it is.
    ["0.00E+00", 12_345, "12345"],
    ["# ?/?", 0.5, "0.5"],
    ["@", 5, "5"],
    ["", 5, "5"],
    ['"unclosed', 5, "5"],
  ])("%j shows %d as %j", (code, value, shown) => {
    expect(readNumberFormat(code)(value)).toEqual({ text: shown, kind: "number" });
  });

  it.each([
    ["yyyy-mm-dd", 45_000, "2023-03-15"],
    ["m/d/yyyy h:mm", 45_000.5, "2023-03-15 12:00"],
    ["d.m.yy h:mm:ss", 45_000.25, "2023-03-15 06:00:00"],
    ["mmm-yy", 45_000, "2023-03"],
    ['yyyy"年"m"月"d"日"', 45_000, "2023-03-15"],
    ["[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", 45_000, "2023-03-15"],
    ["h:mm", 0.75, "18:00"],
    ["[h]:mm:ss", 1.5, "36:00:00"],
    ["yyyy-mm-dd", 1, "1900-01-01"],
    ["yyyy-mm-dd", 59, "1900-02-28"],
    ["yyyy-mm-dd", 61, "1900-03-01"],
  ])("%j shows %d as the date %j", (code, value, shown) => {
    expect(readNumberFormat(code)(value)).toEqual({ text: shown, kind: "date" });
  });

  it("counts from 1904 where the workbook does, and shows no date for what is none", () => {
    expect(readNumberFormat("yyyy-mm-dd", true)(0).text).toBe("1904-01-01");
    expect(readNumberFormat("yyyy-mm-dd")(-1)).toEqual({ text: "-1", kind: "number" });
    expect(readNumberFormat("yyyy-mm-dd")(1e12)).toEqual({ text: "1000000000000", kind: "number" });
  });

  it("knows the formats that workbooks name by number", () => {
    expect([0, 9, 14, 22, 49, 57, 999].map(builtInFormat)).toEqual([
      "General",
      "0%",
      "yyyy-mm-dd",
      "yyyy-mm-dd h:mm",
      "General",
      "yyyy-mm-dd",
      "General",
    ]);
    expect(formatGeneral(123_456_789_012_345_680)).toBe("123456789012346000");
  });

  it("reads any code in linear time", () => {
    for (const part of ['"', "\\", "[", "#,", "0", "_", ";", "?/", "a"]) {
      expect(readNumberFormat(part.repeat(100_000))(1.5).text).not.toBe("");
    }
  });
});
