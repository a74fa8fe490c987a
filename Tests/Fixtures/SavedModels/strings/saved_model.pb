¶
¬}
.
Identity

input"T
output"T"	
Ttype

NoOp
C
Placeholder
output"dtype"
dtypetype"
shapeshape:"serve*2.21.02v2.21.0-rc1-5-ga481b10260d8Ÿ
M
textPlaceholder*
_output_shapes
:*
dtype0*
shape:
;
sameIdentitytext*
T0*
_output_shapes
:

initNoOp"ª*c
serving_defaultP

text
text:0
same
same:0tensorflow/serving/predict