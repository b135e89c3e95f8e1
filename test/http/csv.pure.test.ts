import { describe, expect, it } from 'vitest';
import { writeCsvLine } from '../../src/http/csv.ts';

describe('a line of CSV', () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    [null, ''],
    [undefined, ''],
    [7, '7'],
    [false, 'false'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    [['BTC', 'ETH'], '"[""BTC"",""ETH""]"'],
    [{ status: 'frozen' }, '"{""status"":""frozen""}"'],
    ['-6500', '-6500'],
    ['-0.000000000000000001', '-0.000000000000000001'],
    ['12345678901234567890.123456789', '12345678901234567890.123456789'],
    ['=HYPERLINK("http://x.test")', '"\'=HYPERLINK(""http://x.test"")"'],
    ['+1-1', "'+1-1"],
    ['-1+cmd', "'-1+cmd"],
    ['@SUM(A1)', "'@SUM(A1)"],
    [' =1', "' =1"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['＝1', "'＝1"],
  ])('writes %o as %s', (value, written) => {
    expect(writeCsvLine([value])).toBe(`${written}\r\n`);
  });

  it('has a comma between its cells', () => {
    expect(writeCsvLine(['a', null, 1])).toBe('a,,1\r\n');
  });
});
