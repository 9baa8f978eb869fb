#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the fuzzers' seeds: make_seeds.py FOLDER makes FOLDER/scan, load, gzip and attn.

One small input for each kind of trace and of damage that is known, so that a fuzzer begins where readers break.
"""
import gzip
import io
import json
import os
import sys
import zipfile

X = '{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":%s,"dur":%s}'
A, B = X % ('1', '5'), X % ('2.500', '1.250')
KERNEL = ('{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":4,"dur":2,"args":{"device":0,"stream":7,'
          '"correlation":77,"External id":5,"grid":[4,2,1],"block":[128,1,1],"est. achieved occupancy %":50}}')
LAUNCH = ('{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":3,"dur":1,'
          '"args":{"correlation":77,"External id":5}}')
FLOW = ('{"ph":"s","id":77,"cat":"ac2g","name":"ac2g","pid":1,"tid":1,"ts":3}',
        '{"ph":"f","id":77,"cat":"ac2g","name":"ac2g","pid":0,"tid":7,"ts":4,"bp":"e"}')


def event(phase, **more):
    return json.dumps({'ph': phase, 'name': 'n', 'cat': 'c', 'pid': 1, 'tid': 1, 'ts': 3, **more})


def array(*events):
    return '[' + ',\n'.join(events) + ']'


LOAD = {
    'array': array(A, B),
    'object': '{"traceEvents": ' + array(A, B) + ', "baseTimeNanoseconds": 1767189312000000000}',
    'kineto': '{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "A100", "numSms": 108}], "traceEvents": '
              + array(A, LAUNCH, KERNEL, *FLOW) + '}',
    'number-words': array(A[:-1] + ',"args":{"x":inf,"y":-nan,"z":NaN,"w":N/A}}', X % ('3', 'inf')),
    'windows-path': '{"traceName": "C:\\work\\_x", "traceEvents": ' + array(A) + '}',
    'quotes-in-name': array(A.replace('aten::mm', '{"device": "cpu"}'), B),
    'control-characters': array(A.replace('aten', 'a\n\t\0\x1f'), B),
    'not-utf8': array(A.replace('aten', 'a\udcff\udc80\udcc3'), B),
    'array-without-end': '[' + A + ',\n' + B,
    'cut-in-event': '{"traceEvents": [' + A + ',' + B[:40],
    'commas': '[,' + A + ',,' + B + ',]',
    'bad-escapes': array(A.replace('mm', '\\q\\u12\\ud83d\\"')),
    'byte-order-mark': '\ufeff' + array(A).replace('\n', '\r\n'),
    'interleaved': array(A, B[:50] + A, B),
    'deep': array(A[:-1] + ',"args":{"x":' + '[' * 500 + ']' * 500 + '}}'),
    'open-brackets': array(A, '{"ph":"X","ts":1,"args":{"d":{"x":1,', B),
    'exact-epoch': array(X % ('1767189312123456.789', '0.001'), X % ('1767189312123457', '1e-3')),
    'beyond-64-bits': array(X % ('13984392629999074', '2'), X % ('-13984392629999074', '1e400')),
    'text-times': array(X % ('"12.5"', '"3"')),
    'below-zero': array(X % ('-5', '-1'), X % ('1', '4e15'), X % ('2', '4e15')),
    'no-length': array(event('X'), event('X', dur=None), event('X', dur='x')),
    'overlaps': array(*[X % (i, 10) for i in range(20)]),
    'begin-end': array(event('B', args={'a': 1}), event('B', name='m', ts=4), event('E', name='n', ts=5, args={'a': 2}),
                       event('E', ts=6), event('E', ts=7)),
    'async': array(event('b', id='0x1'), event('n', id='0x1'), event('e', id='0x1', ts=9), event('S', id=2),
                   event('T', id=2), event('F', id=2, ts=8), event('b', id2={'local': '1'}, scope='s')),
    'instants': array(event('i', s='g'), event('I', s='p'), event('R'), event('i', s='x')),
    'counters': array(event('C', args={'a': 1, 'b': '2', 'c': None}), event('C', id=7, args={'': 1.5}),
                      event('C', entries=[[1, 5], ['2', '6'], [3]], event_stats='hits')),
    'memory': array(event('i', name='[memory]', cat='cpu_instant_event',
                          args={'Bytes': -64, 'Addr': 4096, 'Total Allocated': 128, 'Device Type': 1, 'Device Id': 0})),
    'metadata': array(event('M', name='process_name', args={'name': 'python'}), event('M', name='thread_name'),
                      event('M', name='thread_sort_index', args={'sort_index': '-3'}), A),
    'other-phases': array(*[event(p) for p in 'PNODVvc()=?'], event('XX'), event(''), '{"ph":7,"ts":1}', A),
    'identities': array(event('X', pid='1', tid='stream 7', dur=1), event('X', pid='', tid=None, dur=1),
                        event('X', pid=-1, tid=18446744073709551615, dur=1), event('X', pid=1.0, tid=[1], dur=1)),
    'flows': array(A, event('s', id=1, ts=1), event('t', id=1, ts=2), event('f', id=1, ts=2), event('f', id=9, bp='e'),
                   event('X', dur=1, bind_id='0x2', flow_out=True), event('X', dur=1, bind_id='0x2', flow_in=True)),
    'not-objects': array('null', '5', '"word"', '[1]', '{}', A),
    'several-documents': array(A) + array(B),
    'samples-only': '{"traceEvents": [], "samples": [{"ts": 1}], "stackFrames": {"1": {"name": "f", "parent": 1}}}',
    'no-events': '{"nodes": [], "schema": "1"}',
    'html': '<!DOCTYPE html><html>',
    'numbers': '[[1,2],[3,4]]',
    'utf16': '{\0"\0t\0',
    'space': ' ' * 5000 + array(A),
}

ATTN = {'empty': {}, 'schema': {'schema': 'attnscope-session/1'},
        'implementation': {'schema': 'attnscope-session/1', 'plan': {'implementations': ['naive.plain']},
                           'implementations': [{'id': 'naive.plain', 'available': True, 'samples': [1, 2.5, None]}]}}


def packed(text, cut=None):
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode='wb', mtime=0) as file:
        file.write(text)
    return out.getvalue()[:cut]


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return out.getvalue()


def seeds():
    for name, text in LOAD.items():
        data = text.encode('utf-8', 'surrogateescape')
        yield 'load', name, data
        yield 'scan', name, data[data.find(b'{'):]
        yield 'gzip', name, packed(data)
    trace = LOAD['kineto'].encode()
    whole = packed(trace)
    for name, data in {'two-members': whole + packed(b' '), 'cut': whole[:-12], 'trailing': whole + b'\0\0words',
                       'bad-checksum': whole[:-8] + b'0000' + whole[-4:], 'flipped': whole[:40] + b'\xff' + whole[41:],
                       'twice': packed(whole), 'empty': packed(b'')}.items():
        yield 'gzip', name, data
        yield 'load', 'gzip-' + name, data
    sample = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'resources', 'sample', 'session.json')
    texts = {name: json.dumps(content) for name, content in ATTN.items()}
    if os.path.exists(sample):
        with open(sample, encoding='utf-8') as file:
            texts['sample'] = file.read()
    for name, text in texts.items():
        yield 'attn', name + '-json', text.encode()
        yield 'attn', name, zipped({'session.json': text, 'traces/A-naive.plain.json': LOAD['kineto']})
    yield 'attn', 'no-session', zipped({'other': 'x'})
    yield 'attn', 'cut', zipped({'session.json': '{}'})[:-30]


def main():
    for target, name, data in seeds():
        folder = os.path.join(sys.argv[1], target)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(data)


if __name__ == '__main__':
    main()
