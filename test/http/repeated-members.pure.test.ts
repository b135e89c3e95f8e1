import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRepeatedMembers } from '../../src/http/request.ts';
import { forAll } from '../support/for-all.ts';

describe('the members that come twice', () => {
  it.each([
    ['{"side":"BUY","side":"SELL"}', ['/side']],
    ['{"side":"BUY","si\\u0064e":"BUY"}', ['/side']],
    ['{"a":1,"a":2,"a":3,"b":1,"b":1}', ['/a', '/b']],
    ['[{"a":1},{"a":{"b":[{"c":1,"c":2}]}}]', ['/1/a/b/0/c']],
    ['{"a":{"x":1},"a":{"x":2}}', ['/a']],
    [' { "a" : [ 1 , "a" , {} ] , "x/y~" : {} , "x/y~" : 0 } ', ['/x~1y~0']],
    ['{"":1,"":2}', ['/']],
    ['{"__proto__":1,"__proto__":2}', ['/__proto__']],
  ])('are found in %s', (text, pointers) => {
    expect(findRepeatedMembers(text)).toEqual(pointers);
  });

  it.each([
    ['{"a":"a","b":"a"}'],
    ['{"a":{"a":{"a":1}},"b":{"a":1}}'],
    ['[{"a":1},{"a":1}]'],
    ['{"a":"\\",\\"a\\":1,","b":"}{"}'],
    ['{"a\\"":1,"a":2,"a\\\\":3}'],
    ['"{\\"a\\":1,\\"a\\":2}"'],
    ['null'],
  ])('are not seen in %s', (text) => {
    expect(findRepeatedMembers(text)).toEqual([]);
  });

  it('are none in the text of any value, however it is indented', () => {
    forAll(fc.jsonValue(), fc.constantFrom(0, 1, '\t'), (value, space) => {
      expect(findRepeatedMembers(JSON.stringify(value, null, space))).toEqual([]);
    });
  });

  it('are found in any object that gets one of its members again', () => {
    forAll(
      fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
      fc.jsonValue(),
      fc.nat(),
      (object, value, at) => {
        const names = Object.keys(object);
        const name = JSON.stringify(names[at % names.length]);
        const text = JSON.stringify(object).replace(/\}$/, () => `,${name}:${JSON.stringify(value)}}`);
        expect(findRepeatedMembers(text)).toHaveLength(1);
      },
    );
  });
});
