"""s3_look.py - what is in a bucket, by botocore: one line a key, and one an upload that
was begun and not completed.

    /usr/bin/python3 test/remote/s3_look.py ENDPOINT KEY_ID SECRET REGION BUCKET
    key a/x.parquet 12345
    upload b.parquet
"""
import sys

import botocore.session
from botocore.config import Config

endpoint, key_id, secret, region, bucket = sys.argv[1:]
s3 = botocore.session.Session().create_client(
    's3', endpoint_url=endpoint, aws_access_key_id=key_id, aws_secret_access_key=secret,
    region_name=region, config=Config(s3={'addressing_style': 'path'}))
for page in s3.get_paginator('list_objects_v2').paginate(Bucket=bucket):
    for o in page.get('Contents', []):
        print('key', o['Key'], o['Size'])
for page in s3.get_paginator('list_multipart_uploads').paginate(Bucket=bucket):
    for u in page.get('Uploads', []):
        print('upload', u['Key'])
